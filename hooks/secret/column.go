package secret

import "bytes"

// column is a column of a Markdown table whose head says that passwords or keys stand
// in it.
type column struct {
	kind labelKind
	at   int // number of the cell, from 0
	line int // of the row that was looked at last
}

// heads are what stands alone in the head of such a column.
func headKind(cell []byte) labelKind {
	switch string(bytes.ToLower(bytes.Trim(cell, " \t*`_\r"))) {
	case "password", "passwords", "passwd", "pw", "pass", "passwort", "kennwort", "contraseña", "mot de passe", "senha", "wachtwoord", "hasło", "пароль", "密码", "密碼", "パスワード", "비밀번호":
		return labelPassword
	case "token", "api key", "api-key", "apikey", "api_key", "secret", "access token", "client secret", "токен", "令牌", "密钥":
		return labelToken
	}
	return 0
}

// table judges a row by the head of its table, and keeps what a head says.
func (c *scan) table() {
	x := &c.context.column
	line := bytes.Trim(c.text, " \t\r>")
	if len(line) == 0 || line[0] != '|' {
		x.kind = 0
		return
	}
	if len(line) > 8*maxValue {
		return
	}
	if x.kind == 0 || x.line != c.line-1 {
		x.kind = 0
		n := 0
		for cell := range bytes.SplitSeq(line[1:], []byte{'|'}) {
			if k := headKind(cell); k != 0 && (x.kind == 0 || k < x.kind) {
				x.kind, x.at = k, n
			}
			n++
		}
		if n < 3 || c.flagged() {
			x.kind = 0
		}
		x.line = c.line
		return
	}
	x.line = c.line
	n := 0
	for cell := range bytes.SplitSeq(line[1:], []byte{'|'}) {
		if n++; n-1 != x.at {
			continue
		}
		text := bytes.Trim(cell, " \t`*")
		if len(text) > maxValue || bytes.IndexByte(text, ' ') >= 0 || c.flagged() {
			return
		}
		v := value{text: text, quote: '`', last: true}
		switch {
		case x.kind == labelPassword && digits(text) > 0 && digits(text) < len(text) && v.password(slot{op: opCell}) && !identifier(text) && !hexOnly(text):
			c.guess = KindPassword
		case x.kind == labelToken && v.key(true) && !uuidOrCommit(text, true):
			c.guess = KindLabelled
		}
		return
	}
}

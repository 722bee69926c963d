package health

import (
	"bytes"
	"regexp"
	"sync"
	"unicode/utf8"
)

// longInstruction and shortInstruction are the characters from which on a text that
// tells somebody what to do is worth a warning or a remark where it is hidden.
const (
	longInstruction  = 200
	shortInstruction = 80
	shortOrder       = 16 // where somebody is told in so many words
)

// judgeHidden says what is wrong with a text that a reader does not see, or "": one
// that turns on the reader's own agent, whatever its length, or a long one that tells
// what to do.
func judgeHidden(text []byte) (Severity, string) {
	if len(text) > 16<<10 {
		text = text[:16<<10]
	}
	flat := bytes.Join(bytes.Fields(bytes.ToLower(text)), []byte{' '})
	switch n := utf8.RuneCount(flat); {
	case len(flat) < 8:
		return 0, ""
	case turnsOn().Match(flat):
		return Warning, "that tells an agent what a reader does not see"
	case n >= longInstruction && tells().Match(flat):
		return Warning, "of many words that tells what to do"
	case n >= shortInstruction && tells().Match(flat), n >= shortOrder && orders().Match(flat):
		return Info, "that tells what to do"
	}
	return 0, ""
}

var (
	// turnsOn matches what only somebody writes who wants an agent to act against
	// its user.
	turnsOn = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(
			`^(?:(?:system|developer|assistant)(?: (?:message|prompt|note|override))?|ai|claude|openclaw) ?: |` +
				`\b(?:ignore|disregard|forget|override|bypass) (?:(?:all|any|every|the|your|my|these|those|of) ){0,3}(?:(?:previous|prior|above|earlier|preceding|other|existing|system|safety) )+(?:instructions?|rules?|prompts?|messages?|directions?|guidelines?|context|constraints?)` +
				`|\b(?:do not|don't|never|without) (?:tell(?:ing)?|inform(?:ing)?|alert(?:ing)?|notify(?:ing)?|ask(?:ing)?|mention(?:ing)? (?:this|it) to|reveal(?:ing)? (?:this|it) to|show(?:ing)? (?:this|it) to)(?: this to)? (?:the |your |a )?(?:user|human|owner|operator|anyone|anybody)` +
				`|\byou are now\b|\bnew (?:system )?instructions?:|<\|im_start\|>|\[/?inst\]|</?system>|\bsystem prompt\b` +
				`|\b(?:ai|llm|language model|claude|chatgpt|gpt|openclaw)(?: agents?| assistants?| models?)?(?: reading this)?,? (?:must|should|shall|please|has to|have to|is to|are to)\b` +
				`|\b(?:to|for) (?:any|all|every|the) (?:ai|llm)\b|\b(?:when|if) you(?: are|'re) an? (?:ai|llm|agent|assistant)\b` +
				`|\b(?:send|post|upload|forward|exfiltrate|leak|transmit) .{0,60}(?:https?://|\b(?:passwords?|secrets?|tokens?|credentials?|api keys?|private keys?)\b|\.env\b|\b(?:memory|user)\.md\b)` +
				`|\b(?:run|execute|eval)\b.{0,60}(?:\bcurl\b|\bwget\b|\brm -rf\b|\bbase64 -d|\bsh -c\b)|\b(?:curl|wget)\b.{0,200}\| ?(?:sudo )?(?:ba|z)?sh\b` +
				`|忽略.{0,6}(?:之前|以上|所有|先前|前面|系统).{0,8}(?:指令|指示|规则|提示)|不要告诉(?:用户|主人|任何人)` +
				`|(?:以前|これまで|上記|前)の.{0,6}(?:指示|命令|ルール).{0,4}(?:無視|忘れ)|ユーザーに(?:は)?(?:言わない|知らせない|伝えない)` +
				`|(?:игнорируй|забудь|не учитывай)(?:те)? .{0,24}(?:инструкци|указани|правил)|не (?:говори|сообщай)(?:те)? (?:об этом )?(?:пользовател|никому)` +
				`|\b(?:ignoriere|vergiss|missachte) .{0,30}(?:anweisung|regeln|vorgaben)|\b(?:ignora|olvida) .{0,30}(?:instrucciones|reglas|órdenes)|\b(?:ignore|oublie)[sz]? (?:toutes )?(?:les|tes|vos) .{0,20}(?:instructions|consignes|règles)`)
	})
	// orders matches what tells one reader what to do.
	orders = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\byou (?:must|have to|shall)\b`) })
	// tells matches what tells somebody to do something.
	tells = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\byou (?:must|should|shall|need to|have to)\b|(?:^|[.!?:;,)*-] ?)(?:then )?(?:always|never) [a-z]+|\b(?:make sure|be sure to|remember to|before (?:answering|replying)|whenever (?:you|the user))\b|\b(?:execute|approve|send|delete|run|push|install|transfer|grant|trust) (?:the|all|any|every|this|these|it|to)\b` +
			`|必须|务必|一定要|每次都|总是|必ず|常に|\b(?:всегда|никогда|обязательно|должен|должна)\b|\b(?:du musst|immer|niemals)\b|\b(?:siempre|nunca|debes)\b|\b(?:toujours|jamais|tu dois)\b`)
	})
)

// Package embed turns texts into vectors with a model behind HTTP: the API of
// OpenAI, which most servers speak, or that of Ollama. Search works without it;
// with it, a note is also found by what it means.
//
// The caller reads the settings, from git config and the environment, never from
// a tracked file: a cloned workspace must not choose where notes are sent.
//
//	claw.embedder       openai, ollama or none (default)
//	claw.embedderUrl    default https://api.openai.com/v1, http://127.0.0.1:11434
//	claw.embedderModel  such as text-embedding-3-small, nomic-embed-text
//	claw.embedderKey    or GIT_CLAW_EMBEDDER_KEY, which goes first
//
// What the caller sends is sent: texts that the secret scan flags are left out
// before (SPEC RC-09). The key, and user and password of a URL, stand in no error,
// no id and no file; they go to the host of the URL only, redirects to another
// host are refused, and plain http with credentials is for this machine only.
//
// Texts are cut to MaxText bytes. They go out in batches; one that the server
// calls too large is halved. A server that is busy (429, 502, 503, 504) is asked
// again, as often and as late as is sensible; every other failure is reported at
// once, because somebody waits for the search.
package embed

# Reads one JSON text a line; prints a line for each text, number, true, false and null in it: its JSON pointer, a tab, its value. In values a
# backslash, a line feed, a tab and a carriage return are written \\ \n \t \r, as printf's %b reads them. Empty objects and lists have no line.
function fail(what) { print "json.awk: " what " at character " at > "/dev/stderr"; bad = 1; exit 65 }
function blank() { while (substr(text, at, 1) ~ /[ \t\r]/) at++ }
function value(path,   c) {
  blank(); c = substr(text, at, 1)
  if (c == "{") members(path)
  else if (c == "[") elements(path)
  else if (c == "\"") print path "\t" string()
  else word(path)
}
function members(path,   name) {
  at++; blank()
  if (substr(text, at, 1) == "}") { at++; return }
  for (;;) {
    blank(); if (substr(text, at, 1) != "\"") fail("a name was expected")
    name = string(); gsub(/~/, "~0", name); gsub(/\//, "~1", name)
    blank(); if (substr(text, at, 1) != ":") fail("a colon was expected")
    at++; value(path "/" name); blank()
    if (substr(text, at, 1) == ",") { at++; continue }
    if (substr(text, at, 1) == "}") { at++; return }
    fail("a comma or } was expected")
  }
}
function elements(path,   n) {
  at++; blank(); n = 0
  if (substr(text, at, 1) == "]") { at++; return }
  for (;;) {
    value(path "/" n++); blank()
    if (substr(text, at, 1) == ",") { at++; continue }
    if (substr(text, at, 1) == "]") { at++; return }
    fail("a comma or ] was expected")
  }
}
function word(path) {
  if (!match(substr(text, at, 40), /^(true|false|null|-?[0-9][0-9.eE+-]*)/)) fail("a value was expected")
  print path "\t" substr(text, at, RLENGTH); at += RLENGTH
}
function string(   out, c, run) {
  at++; out = ""
  for (;;) {
    run = substr(text, at, 500)
    if (match(run, /["\\]/)) run = substr(run, 1, RSTART - 1)
    out = out run; at += length(run); c = substr(text, at, 1)
    if (c == "\"") { at++; return out }
    if (c == "") fail("a text without an end")
    if (c != "\\") continue
    c = substr(text, at + 1, 1); at += 2
    if (c == "n" || c == "t" || c == "r") out = out "\\" c
    else if (c == "\\") out = out "\\\\"
    else if (c == "u") { out = out character(hex(substr(text, at, 4))); at += 4 }
    else if (c == "b") out = out sprintf("%c", 8)
    else if (c == "f") out = out sprintf("%c", 12)
    else out = out c
  }
}
function hex(digits,   n, i) {
  n = 0
  for (i = 1; i <= 4; i++) n = n * 16 + index("0123456789abcdef", tolower(substr(digits, i, 1))) - 1
  return n
}
# Windlass writes characters as they are but for control characters and broken ones.
function character(code) { return code < 128 && code > 0 ? sprintf("%c", code) : "?" }
{ text = $0; at = 1; value(""); blank(); if (at <= length(text)) fail("an end was expected") }

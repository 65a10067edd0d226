/** The text without the characters like this one that it ends with. Takes as long as there are such, unlike a pattern that ends with `$`. */
export function withoutEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}

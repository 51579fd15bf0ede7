export const afterSpace = (text: string, from: number): number => {
  let at = from
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\t' || text[at] === '\r') at += 1
  return at
}

export const literalEnd = (text: string, from: number): number | undefined => {
  const literal = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
  literal.lastIndex = from
  return literal.test(text) ? literal.lastIndex : undefined
}

export const stringEnd = (text: string, from: number): number | undefined => {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return at + 1
    if (code < 0x20) return undefined
    if (code !== 0x5c) continue
    at += 1
    if (text[at] === 'u' && /^[0-9a-fA-F]{4}$/.test(text.slice(at + 1, at + 5))) at += 4
    else if (!'"\\/bfnrt'.includes(text[at] ?? '?')) return undefined
  }
  return undefined
}

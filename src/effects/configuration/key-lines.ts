import { existsSync, readFileSync } from 'node:fs'
import { type Document, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'

/** `path:line` of a key in a configuration file, for an error that is detected after loading. */
export const placeOfSetting = (path: string, keys: readonly PropertyKey[]): string => {
  const lines = new LineCounter()
  const source = existsSync(path) ? readFileSync(path, 'utf8') : ''
  return `${path}:${lineFinder(parseDocument(source, { lineCounter: lines, prettyErrors: false }), lines)(keys)}`
}

/**
 * Returns the line of a key, not of its value, which may begin on a later one; for a missing key that of the nearest
 * parent.
 */
export const lineFinder =
  (document: Document, lines: LineCounter) =>
  (keys: readonly PropertyKey[]): number => {
    let node: unknown = document.contents
    let offset = 0
    for (const key of keys) {
      if (isMap(node)) {
        const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key))
        if (!isScalar(pair?.key)) break
        offset = pair.key.range?.[0] ?? offset
        node = pair.value
      } else if (isSeq(node)) {
        node = node.items[Number(key)]
        offset = (node as { range?: [number, number, number] } | undefined)?.range?.[0] ?? offset
      } else break
    }
    return lines.linePos(offset).line
  }

import type { Plugin } from 'rolldown'

/**
 * Writes every character beyond ASCII as its escape: V8 keeps a text with one such character in two bytes a character, and
 * Node turns it back to check its compile cache: 3 % of the first frame, and 3 MB.
 */
export const inAscii = (): Pick<Plugin, 'name'> & Pick<Required<Plugin>, 'generateBundle'> => ({
  name: 'in-ascii',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue
      const raw = /String\.raw`[^`]*[^\0-\x7f][^`]*`/.exec(chunk.code)?.[0]
      if (raw !== undefined) throw new Error(`An escape would show in ${raw}; write that text without String.raw.`)
      chunk.code = chunk.code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    }
  },
})

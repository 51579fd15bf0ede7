import { safeText } from '../../domain/words/safe-text.ts'

/** Text that is safe for a browser: created only by `markup`. */
export class Markup {
  constructor(readonly text: string) {}
}

type Piece = string | number | Markup | readonly Markup[]

/** Markup with its values: every text is made safe and escaped; markup and lists of it stay unchanged. */
export const markup = (parts: TemplateStringsArray, ...values: readonly Piece[]): Markup =>
  new Markup(parts.reduce((all, part, at) => all + written(values[at - 1]!) + part))

const written = (value: Piece): string => {
  if (value instanceof Markup) return value.text
  if (typeof value === 'object') return value.map(({ text }) => text).join('')
  return escaped(String(value))
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string => safeText(text).replace(/[&<>"']/g, (character) => entities[character]!)

import { Markup, markup } from './markup.ts'

type Row = readonly (string | number)[]

const hasNothing = ([, ...rest]: Row): boolean => rest.every((cell) => cell === 0)

/** The numbers of every plot as a table. In print, rows for stretches without events are omitted (`isQuiet`). */
export const numbers = (title: string, heads: readonly string[], rows: readonly Row[], isQuiet = hasNothing): Markup =>
  markup`<details><summary>Numbers</summary><div class="scroll" tabindex="0" role="region" aria-label="${title}, as numbers"><table><thead><tr>${heads.map((head, at) => markup`<th scope="col"${classOf(rows[0]?.[at])}>${head}</th>`)}</tr></thead><tbody>${rows.map(
    (
      row,
    ) => markup`<tr${new Markup(isQuiet(row) ? ' class="quiet"' : '')}>${row.map((cell) => markup`<td${classOf(cell)}>${cell}</td>`)}</tr>
`,
  )}</tbody></table></div></details>`

const classOf = (cell: string | number | undefined): Markup =>
  new Markup(typeof cell === 'number' ? ' class="number"' : '')

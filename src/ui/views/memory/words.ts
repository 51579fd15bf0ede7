import { ours, safeText, type SafeText } from '../../../domain/words/safe-text.ts'
import { fit } from '../../../../components/base/fit.ts'

// Words that the rows and records of the memory pane share.

/** `01-30 14:22` by the local clock; an invalid time unchanged. */
export const shortTime = (at: string): SafeText => {
  const [date, time] = localTime(at)?.split(' ') ?? []
  return date === undefined ? fit(safeText(at.slice(0, 40)), 11) : ours(`${date.slice(5)} ${time!.slice(0, 5)}`)
}

/** `2026-01-30 14:22:33` by the local clock; an invalid time unchanged. */
export const longTime = (at: string): SafeText => ours(localTime(at) ?? safeText(at.slice(0, 40)))

const localTime = (at: string): string | undefined => {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return undefined
  const two = (n: number): string => String(n).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

/** Characters of a text in a row. */
const SHOWN = 400

/** The beginning of a text, on one line. */
export const beginning = (text: string): SafeText => safeText(text.slice(0, SHOWN))

/** `Read ×3, Edit, Bash`: names in their order, with the number of repetitions in a row. */
export const inARow = (names: readonly string[]): string => {
  const runs: { name: string; times: number }[] = []
  for (const name of names) {
    const last = runs.at(-1)
    if (last?.name === name) last.times++
    else runs.push({ name, times: 1 })
  }
  return runs.map(({ name, times }) => (times === 1 ? name : `${name} ×${times}`)).join(', ')
}

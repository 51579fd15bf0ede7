import type { Background } from '../core/theme.ts'
import type { InputTap } from './input.ts'

/** Milliseconds to wait for the terminal's answer: the first frame matters more than its colours. */
const PATIENCE = 30

/** Queries the colour of the background, and the type of the terminal: every terminal answers the latter. */
const question = '\u001b]11;?\u001b\\\u001b[c'

/**
 * Determines whether the terminal is dark or light; undefined if it does not answer. A late answer is passed to `late`.
 * Keys typed meanwhile are kept for the next reader.
 */
export const askBackground = async (
  tap: InputTap,
  stdout: NodeJS.WriteStream,
  environment: NodeJS.ProcessEnv,
  late: (background: Background) => void,
): Promise<Background | undefined> => {
  const told = backgroundOfVariable(environment['COLORFGBG'])
  const term = environment['TERM'] ?? ''
  if (!tap.stdin.isTTY || !stdout.isTTY || term === '' || term === 'dumb') return told
  const answered = await ask(tap, stdout, late)
  return (answered === undefined ? undefined : backgroundOfColour(answered)) ?? told
}

const ask = (
  tap: InputTap,
  stdout: NodeJS.WriteStream,
  late: (background: Background) => void,
): Promise<string | undefined> =>
  new Promise((done) => {
    const { stdin } = tap
    let typed = ''
    let over = false
    const end = (colour?: string): void => {
      if (over) return
      over = true
      clearTimeout(timer)
      stdin.off('readable', look)
      if (typed !== '') stdin.unshift(typed)
      done(colour)
    }
    const look = (): void => {
      for (let piece = tap.read(); piece !== null; piece = tap.read()) typed += piece
      if (answer !== null) end(answer === '' ? undefined : answer)
    }
    /** Empty if the terminal has none. */
    let answer: string | null = null
    tap.expect({
      colour: (colour) => {
        answer = colour
        const background = backgroundOfColour(colour)
        if (over && background) late(background)
      },
      kind: () => (answer ??= ''),
    })
    const timer = setTimeout(end, PATIENCE)
    // In raw mode, because the terminal would otherwise print its answer on the screen. Ink keeps the mode, and ends
    // it.
    stdin.setRawMode(true)
    stdin.setEncoding('utf8')
    stdin.on('readable', look)
    stdout.write(question)
  })

/** From the variable that some terminals set: foreground and background among the sixteen colours, such as `15;0`. */
export const backgroundOfVariable = (colorfgbg: string | undefined): Background | undefined => {
  const last = colorfgbg?.split(';').at(-1) ?? ''
  if (!/^\d{1,2}$/.test(last)) return undefined
  // Of the sixteen colours, white and the bright ones except grey are light.
  return [7, 9, 10, 11, 12, 13, 14, 15].includes(Number(last)) ? 'light' : 'dark'
}

/** From the answer to OSC 11: `rgb:RRRR/GGGG/BBBB` with one to four digits each. */
export const backgroundOfColour = (answer: string): Background | undefined => {
  const parts = /^rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})(?:\/[\da-f]{1,4})?$/i.exec(answer)?.slice(1, 4)
  if (!parts) return undefined
  const [red, green, blue] = parts.map((digits) => parseInt(digits, 16) / (16 ** digits.length - 1)) as [
    number,
    number,
    number,
  ]
  // ITU-R BT.709 luma of the raw values: accurate enough to distinguish light from dark.
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5 ? 'light' : 'dark'
}

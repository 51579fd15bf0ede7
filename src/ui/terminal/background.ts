import { type Background, backgroundOfColour, backgroundOfVariable } from '../comfort/theme.ts'
import type { InputTap } from './input.ts'

/** Milliseconds after which a terminal that has not answered is not waited for: the first frame is worth more than its colours. */
const PATIENCE = 30

/** Asks for the colour of the background, and for the kind of the terminal: every one answers that, the colour not all. */
const question = '\u001b]11;?\u001b\\\u001b[c'

/**
 * Whether the terminal is dark or light; undefined where it does not tell. An answer that comes late is given to
 * `late`. What was typed meanwhile is kept for whoever reads next.
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

const ask = (tap: InputTap, stdout: NodeJS.WriteStream, late: (background: Background) => void): Promise<string | undefined> =>
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
    /** Empty where the terminal has none. */
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
    // In raw mode, or the terminal would print its answer on the screen. Ink keeps it so, and ends it.
    stdin.setRawMode(true)
    stdin.setEncoding('utf8')
    stdin.on('readable', look)
    stdout.write(question)
  })

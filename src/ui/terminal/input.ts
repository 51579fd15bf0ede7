import { type MouseEvent, mouseEventOf } from './mouse.ts'

// Separates a terminal's other input from keys: the colour of its background, and the mouse.

/** Standard input for Ink, without answers to queries. */
export interface InputTap {
  readonly stdin: NodeJS.ReadStream
  /** Reads as Ink would, for an earlier reader. */
  readonly read: () => string | null
  /** Expects the answers to the queries for the background and for the terminal's type, which ends the wait. */
  readonly expect: (told: { readonly colour: (colour: string) => void; readonly kind: () => void }) => void
  onMouse: (event: MouseEvent) => void
}

/** `patience`: milliseconds for which the beginning of a key waits for its rest. */
export const tapInput = (stdin: NodeJS.ReadStream, patience: number): InputTap => {
  let asked: Parameters<InputTap['expect']>[0] | undefined
  const answers = makeAnswers()
  const mouse = makeMouse()
  const read = (): string | null => {
    const piece = stdin.read() as string | Buffer | null
    if (piece === null) return null
    const { rest, colour, kind } = answers(piece.toString(), asked !== undefined)
    if (colour !== undefined) asked?.colour(colour)
    if (kind) {
      asked?.kind()
      asked = undefined
    }
    for (const event of mouse(rest)) tap.onMouse(event)
    return rest
  }
  const readKeys = holdEscapes(read, patience, () => stdin.emit('readable'))
  const tap: InputTap = {
    // Ink reads when there is input, and does not while another program has the terminal; the same applies here.
    stdin: new Proxy(stdin, {
      get: (target, property) => {
        if (property === 'read') return readKeys
        const value: unknown = Reflect.get(target, property, target)
        return typeof value === 'function' ? (value.bind(target) as unknown) : value
      },
    }),
    read,
    expect: (told) => (asked = told),
    onMouse: () => {},
  }
  return tap
}

/* oxlint-disable no-control-regex -- escape sequences are what this file is about */

const colourAnswer = /\u001b\]11;([^\u0007\u001b]{1,64})(?:\u0007|\u001b\\)/
const kindAnswer = /\u001b\[\?[\d;]*c/
/** The beginning of an answer at the end of a piece; Esc alone is a key. */
const answerBegun = /\u001b\](?:1(?:1(?:;[^\u0007\u001b]{0,64}\u001b?)?)?)?$|\u001b\[\?[\d;]*$/

interface Answers {
  /** The remaining input for Ink. */
  readonly rest: string
  readonly colour: string | undefined
  readonly kind: boolean
}

/**
 * Removes the answers from the input, also if they arrive in pieces or late: Ink would pass the colour on as typed
 * letters.
 */
const makeAnswers = (): ((piece: string, asked: boolean) => Answers) => {
  let held = ''
  /** An Esc that was already passed to Ink, because it may have been the key. */
  let escaped = false
  return (piece, asked) => {
    if (!asked && held === '') return { rest: piece, colour: undefined, kind: false }
    const lent = escaped ? '\u001b' : ''
    const text = lent + held + piece
    const colour = colourAnswer.exec(text)
    const without = colour ? text.replace(colour[0], '') : text
    const kind = kindAnswer.exec(without)
    const rest = kind ? without.replace(kind[0], '') : without
    const tail = answerBegun.exec(rest)?.[0] ?? ''
    const whole = rest.slice(0, rest.length - tail.length)
    // Text that was passed on is not passed on twice.
    const stillLent = lent !== '' && tail !== '' && whole === ''
    held = stillLent ? tail.slice(1) : tail
    escaped = stillLent || whole.endsWith('\u001b')
    return {
      rest: lent !== '' && !stillLent && text.startsWith(lent) && whole.startsWith(lent) ? whole.slice(1) : whole,
      colour: colour?.[1],
      kind: kind !== null,
    }
  }
}

const reports = /\u001b\[20([01])~|\u001b\[<(\d{1,4});(\d{1,5});(\d{1,5})([Mm])/g
const reportBegun = /\u001b(?:\[(?:2(?:0[01]?)?|<[\d;]{0,16})?)?$/

/** Parses mouse reports, which Ink drops itself. Pasted text is text, whatever it looks like. */
const makeMouse = (): ((piece: string) => readonly MouseEvent[]) => {
  let held = ''
  let pasting = false
  return (piece) => {
    const text = held + piece
    held = reportBegun.exec(text)?.[0] ?? ''
    const events: MouseEvent[] = []
    for (const [, paste, button, column, row, end] of text.matchAll(reports)) {
      if (paste !== undefined) pasting = paste === '0'
      else if (!pasting) {
        const event = mouseEventOf(Number(button), Number(column), Number(row), end === 'M')
        if (event) events.push(event)
      }
    }
    return events
  }
}

// A key such as ↑ is Esc followed by letters. On a slow line they may arrive separately, and so may Esc and a letter.

/** Milliseconds for which an Esc waits for its letters, as in Ink. */
const NEARBY = 20

/** On a line over the network. */
const OVER_NETWORK = 150

/**
 * For a sequence that has continued after its bracket, which a person does not type: no key waits for it. A line that
 * lost a packet delivers the rest a second later, and the rest of a mouse report, or of the beginning of a paste, would
 * be processed as keys.
 */
const OF_A_TERMINAL = 2_000

/** The longest allowed wait. */
const LONGEST = 10_000

/** Curses programs use ESCDELAY as well. */
export const escapeDelay = (environment: NodeJS.ProcessEnv): number => {
  const told = environment['ESCDELAY'] ?? ''
  if (/^\d{1,6}$/.test(told)) return Math.max(NEARBY, Math.min(LONGEST, Number(told)))
  return environment['SSH_TTY'] || environment['SSH_CONNECTION'] ? OVER_NETWORK : NEARBY
}

/** A sequence at the end of a piece that may continue. */
const sequenceBegun = /\u001b(?:\[[0-?]*[ -/]*|O)?$/

const beyondBracket = /^\u001b\[[0-?]/

/**
 * Text that a person never types after an Esc or a bracket in one piece: the beginning and the end of a paste, and a
 * mouse report.
 */
const late = /^\u001b\[(?:20[01]~|<\d{1,4};\d{1,5};\d{1,5}[Mm])/

const pasteEdges = /\u001b\[20([01])~/g

/** The key Esc in the notation of terminals with unambiguous keys: no following text is read as a part of it. */
const keyEsc = '\u001b[27u'

/**
 * An Esc before another sequence was the key. Ink would combine the two: the Esc would be lost, and a following paste
 * would be processed as keys.
 */
const apart = (text: string): string => text.replace(/\u001b(?=\u001b)/g, keyEsc)

/**
 * Reads input and holds back an incomplete sequence until its rest arrives or its time has passed (`delay`, if it may
 * be a key); `wake` is called when there is something to read.
 */
const holdEscapes = (read: () => string | null, delay: number, wake: () => void): (() => string | null) => {
  let held = ''
  /** An incomplete sequence that was passed on. */
  let cut = ''
  let ripe = false
  /** During a paste there are no keys: an Esc begins its end. */
  let pasting = false
  let timer: NodeJS.Timeout | undefined
  return () => {
    const piece = read()
    if (piece === null && !ripe) return null
    clearTimeout(timer)
    const lost = piece !== null && late.test(cut + piece) ? cut : ''
    const text = apart(lost + held + (piece ?? ''))
    cut = piece === null ? held : ''
    held = piece === null ? '' : (sequenceBegun.exec(text)?.[0] ?? '')
    ripe = false
    const whole = text.slice(0, text.length - held.length)
    for (const [, edge] of whole.matchAll(pasteEdges)) pasting = edge === '0'
    if (held !== '') {
      const patience = pasting || beyondBracket.test(held) ? Math.max(delay, OF_A_TERMINAL) : delay
      timer = setTimeout(() => {
        ripe = true
        wake()
      }, patience)
    }
    // No more input has followed it, so Ink need not wait again.
    return whole === '\u001b' ? keyEsc : whole
  }
}

import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { askBackground, backgroundOfColour, backgroundOfVariable } from '../../../src/ui/terminal/background.ts'
import { type InputTap, tapInput } from '../../../src/ui/terminal/input.ts'
import { type MouseEvent, mouseOff, mouseOn, useMouse } from '../../../src/ui/terminal/mouse.ts'

const escape = '\u001b'

interface Keyboard {
  readonly tap: InputTap
  readonly colours: string[]
  readonly events: MouseEvent[]
  readonly stdin: PassThrough
  readonly stdout: PassThrough
  readonly raw: boolean[]
  /** The input that Ink would read after each piece. */
  readonly type: (...pieces: readonly string[]) => string[]
}

const openKeyboard = (): Keyboard => {
  const raw: boolean[] = []
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (on: boolean) => (raw.push(on), stdin) })
  const stdout = Object.assign(new PassThrough(), { isTTY: true })
  const tap = tapInput(stdin as unknown as NodeJS.ReadStream, 20)
  const colours: string[] = []
  const events: MouseEvent[] = []
  tap.expect({ colour: (colour) => colours.push(colour), kind: () => {} })
  tap.onMouse = (event) => events.push(event)
  const type = (...pieces: readonly string[]): string[] =>
    pieces.map((piece) => {
      stdin.write(piece)
      return String(tap.stdin.read() ?? '')
    })
  return { tap, colours, events, stdin, stdout, raw, type }
}

test('typed text passes unchanged', () => {
  const { type, colours, events } = openKeyboard()
  expect(type('jk', `${escape}[A`, 'x', '日😀')).toEqual(['jk', `${escape}[A`, 'x', '日😀'])
  expect([colours, events]).toEqual([[], []])
})

test('the answer to the question for the background never becomes keys, wherever it is cut', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('\u0007', `${escape}\\`),
      fc.array(fc.nat(40), { maxLength: 4 }),
      fc.constantFrom('', 'jk'),
      fc.constantFrom('', 'x'),
      (end, cuts, before, after) => {
        const { type, colours } = openKeyboard()
        const whole = `${before}${escape}]11;rgb:ffff/ffff/dddd${end}${after}`
        const places = [...new Set([...cuts.filter((cut) => cut < whole.length), 0, whole.length])].sort(
          (a, b) => a - b,
        )
        const read = type(...places.slice(1).map((place, index) => whole.slice(places[index], place))).join('')
        // Esc alone at the end of a piece may be the key.
        expect(read.replaceAll(escape, '')).toBe(before + after)
        expect(colours).toEqual(['rgb:ffff/ffff/dddd'])
      },
    ),
  )
})

test('mouse presses and wheel turns are detected, and stay in the input', () => {
  const { type, events } = openKeyboard()
  type(
    `${escape}[<0;3;5M${escape}[<0;3;5m`,
    `${escape}[<64;10;`,
    '2M',
    `${escape}[<65;1;1M${escape}[<2;1;1M${escape}[<4;1;1M`,
  )
  expect(events).toEqual([
    { kind: 'click', column: 2, row: 4 },
    { kind: 'release', column: 2, row: 4 },
    { kind: 'wheel-up', column: 9, row: 1 },
    { kind: 'wheel-down', column: 0, row: 0 },
  ])
})

test('pasted text causes no click', () => {
  const { type, events } = openKeyboard()
  type(`${escape}[200~a ${escape}[<0;3;5M`, `${escape}[<0;3;5M b${escape}[201~`)
  expect(events).toEqual([])
  type(`${escape}[<0;1;1M`)
  expect(events).toHaveLength(1)
})

test('an Esc directly before a paste does not turn the paste into keys', () => {
  const { type } = openKeyboard()
  expect(type(`${escape}${escape}[200~q${escape}[201~`)).toEqual([`${escape}[27u${escape}[200~q${escape}[201~`])
  expect(type(escape, `${escape}[200~q${escape}[201~`)).toEqual(['', `${escape}[27u${escape}[200~q${escape}[201~`])
  expect(type(`${escape}[200~q${escape}[201~`)).toEqual([`${escape}[200~q${escape}[201~`])
})

test('an Esc directly before another key is a key of its own, even if that key starts with Esc', async () => {
  const { tap, stdin, type } = openKeyboard()
  expect(type(`${escape}${escape}[B`, `${escape}${escape}OB`)).toEqual([
    `${escape}[27u${escape}[B`,
    `${escape}[27u${escape}OB`,
  ])
  expect(type(escape, `${escape}[B`)).toEqual(['', `${escape}[27u${escape}[B`])
  // Pressed three times in one piece, it is that key three times; the last one is certain when nothing more can arrive.
  const woken = new Promise((done) => stdin.once('readable', done))
  expect(type(escape.repeat(3))).toEqual([`${escape}[27u`.repeat(2)])
  await woken
  expect(String(tap.stdin.read())).toBe(`${escape}[27u`)
  expect(tap.stdin.read()).toBeNull()
})

test('a sequence that a slow connection splits presses no keys, wherever it is split', async () => {
  const paste = `${escape}[200~q${escape}[201~`
  const press = `${escape}[<0;3;5M`
  /** The whole input if the rest arrives long after the start. */
  const torn = async (whole: string, at: number): Promise<string> => {
    const { tap, stdin, type } = openKeyboard()
    const read = type(whole.slice(0, at))
    stdin.on('readable', () => read.push(String(tap.stdin.read() ?? '')))
    await new Promise((done) => setTimeout(done, 60))
    stdin.removeAllListeners('readable')
    return [...read, ...type(whole.slice(at))].join('')
  }
  for (const whole of [paste, press]) {
    // Esc, and Esc with a bracket, may be keys: they are not delayed, and the rest is complete anyway.
    expect(await torn(whole, 1)).toBe(`${escape}[27u${whole}`)
    expect(await torn(whole, 2)).toBe(`${escape}[${whole}`)
    for (let at = 3; at <= 6; at++) expect(await torn(whole, at)).toBe(whole)
  }
  // The end of a paste is awaited, or every later key would belong to the paste.
  for (let at = 8; at < paste.length; at++) expect(await torn(paste, at)).toBe(paste)
  // A key that a person types later is not such a rest.
  expect(await torn(`${escape}[200`, 1)).toBe(`${escape}[27u[200`)
})

test('the terminal is asked in raw mode, and keys typed meanwhile are read afterwards', async () => {
  const { tap, stdin, stdout, raw } = openKeyboard()
  const asked = askBackground(tap, stdout as unknown as NodeJS.WriteStream, { TERM: 'xterm-256color' }, () => {})
  expect(String(stdout.read())).toBe(`${escape}]11;?${escape}\\${escape}[c`)
  expect(raw).toEqual([true])
  stdin.write(`j${escape}]11;rgb:ff/ff/ff\u0007k${escape}[?62;4c`)
  expect(await asked).toBe('light')
  expect(String(tap.stdin.read())).toBe('jk')
})

test('a terminal that reports its kind but no colour is not awaited, and the variable counts instead', async () => {
  const { tap, stdin, stdout } = openKeyboard()
  const asked = askBackground(
    tap,
    stdout as unknown as NodeJS.WriteStream,
    { TERM: 'xterm', COLORFGBG: '0;15' },
    () => {},
  )
  stdin.write(`${escape}[?1;2c`)
  expect(await asked).toBe('light')
  expect(tap.stdin.read()).toBeNull()
})

test('a terminal that does not answer is not asked after a while, and a dumb one never', async () => {
  const { tap, stdout, raw } = openKeyboard()
  expect(await askBackground(tap, stdout as unknown as NodeJS.WriteStream, { TERM: 'xterm' }, () => {})).toBeUndefined()
  raw.length = 0
  expect(await askBackground(tap, stdout as unknown as NodeJS.WriteStream, { TERM: 'dumb' }, () => {})).toBeUndefined()
  expect(raw).toEqual([])
})

test('a late answer still counts, and is not read as keys', async () => {
  const { tap, stdin, stdout } = openKeyboard()
  const late: string[] = []
  expect(
    await askBackground(tap, stdout as unknown as NodeJS.WriteStream, { TERM: 'xterm' }, (background) =>
      late.push(background),
    ),
  ).toBeUndefined()
  stdin.write(`${escape}]11;rgb:ffff/ffff/ffff${escape}\\j`)
  expect(String(tap.stdin.read())).toBe('j')
  expect(late).toEqual(['light'])
})

test('a bracket after Esc is not delayed once the terminal has answered', () => {
  const { type } = openKeyboard()
  expect(type(`${escape}[?1;2c`, escape, ']', `${escape}]`)).toEqual(['', '', `${escape}]`, `${escape}]`])
})

test('light and dark backgrounds are distinguished', () => {
  expect(backgroundOfColour('rgb:0000/2b2b/3636')).toBe('dark')
  expect(backgroundOfColour('rgb:fdfd/f6f6/e3e3')).toBe('light')
  expect(backgroundOfColour('rgb:f/f/f')).toBe('light')
  expect(backgroundOfColour('nonsense')).toBeUndefined()
  expect(backgroundOfVariable('15;0')).toBe('dark')
  expect(backgroundOfVariable('0;default;15')).toBe('light')
  expect(backgroundOfVariable('default;default')).toBeUndefined()
  expect(backgroundOfVariable(undefined)).toBeUndefined()
})

test('the mouse is released while another program has the terminal, and once at the end', async () => {
  const stdout = new PassThrough()
  const written = (): string => String(stdout.read() ?? '')
  const mouse = useMouse(stdout as unknown as NodeJS.WriteStream, true)
  expect(written()).toBe(mouseOn)
  await mouse.without(async () => expect(written()).toBe(mouseOff))
  expect(written()).toBe(mouseOn)
  await expect(mouse.without(() => Promise.reject(new Error('no shell')))).rejects.toThrow('no shell')
  expect(written()).toBe(mouseOff + mouseOn)
  mouse.end()
  mouse.end()
  expect(written()).toBe(mouseOff)
  const unwanted = useMouse(stdout as unknown as NodeJS.WriteStream, false)
  unwanted.end()
  expect(written()).toBe('')
})

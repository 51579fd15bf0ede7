import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { it, type TestContext } from 'vitest'
import { readProcessTable } from '../../src/effects/processes/table.ts'
import { escape, generous, openShop, programCommand, type Screen, type Shop } from './pty.ts'

// Terminals of a shell that lent them, and of a console that is stopped, killed or detached.

/** Waits for facts that no screen shows. */
const patient = { timeout: 60_000 }

const ctrlZ = '\u001a'
const shells = [
  ['sh', ['/bin/sh', '-i']],
  ['bash', ['/bin/bash', '--norc', '-i']],
] as const

interface Desk {
  readonly shop: Shop
  readonly screen: Screen
  /** The console's process. */
  readonly pid: () => number
  /** The process that would restore the terminal if the console were killed. */
  readonly rescue: () => number
}

/** A shell in a terminal, and in it a ready console. */
const openFromShell = async (test: TestContext, shell: readonly string[] = ['/bin/sh', '-i']): Promise<Desk> => {
  const shop = openShop(test)
  const screen = shop.startProgram(shell, { columns: 100, environment: { PS1: '$ ', AISWARM_ROOT: shop.root } })
  await screen.until('$')
  screen.press(`cd shop; echo be''fore\r`)
  await screen.until('before')
  await begin(screen)
  const pid = (): number => childOf(screen.pid, 'main.js')!
  const rescue = (): number => childOf(pid(), 'terminal-restorer')!
  await test.expect.poll(rescue, patient).toBeDefined()
  return { shop, screen, pid, rescue }
}

const begin = async (screen: Screen): Promise<void> => {
  screen.press(`${programCommand.join(' ')} tui\r`)
  await screen.until('1 Board')
  await screen.shows('pastes in brackets and the mouse', () => screen.mouse())
}

/** A process below another one, by a word of its command line. */
const childOf = (parent: number, word: string): number | undefined =>
  readProcessTable().find((entry) => entry.parent === parent && !entry.zombie && commandOf(entry.pid).includes(word))
    ?.pid

const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

const stateOf = (pid: number): string =>
  existsSync(`/proc/${pid}/stat`) ? /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))![1]! : 'gone'

/** The shell has its terminal back: it echoes, it runs commands, and nothing of the console is left. */
const isUsable = async (test: TestContext, screen: Screen, word: string): Promise<void> => {
  await screen.shows('the screen of the shell', () => !screen.isAlternate() && !screen.mouse())
  // A person who sees no prompt types again: a prompt that came too early went to the console's screen.
  screen.press('\r')
  await screen.shows('a prompt', (text) => /\n[$ ]+$/.test(text.trimEnd()))
  screen.press(`echo ${word}''s; stty -a\r`)
  await screen.until(`echo ${word}''s; stty -a`)
  await screen.until(new RegExp(`^[$ ]*${word}s$`, 'm'))
  await screen.until(/ icanon/)
  const [modes] = await screen.until(/isig[^]* iexten[^]*/)
  test.expect(modes).not.toMatch(/-(isig|icanon|iexten|echo|icrnl|opost)\b/)
}

/** The modes that the console switches and that are on, according to the output. */
const modesOn = (written: string): readonly string[] =>
  ['1049', '1000', '1006', '2004', '2026'].filter(
    (mode) => written.lastIndexOf(`\u001b[?${mode}h`) > written.lastIndexOf(`\u001b[?${mode}l`),
  )

it.concurrent.for(shells)(
  'the %s that started the console is usable after kill -9',
  generous,
  async ([, shell], test) => {
    const { screen, pid, rescue } = await openFromShell(test, shell)
    const helper = rescue()
    process.kill(pid(), 'SIGKILL')
    // A terminal of its own, because bash asks for bracketed paste as well.
    await screen.shows('no mode of the console', () =>
      modesOn(screen.written()).every((mode) => mode === '2004' && shell[0] === '/bin/bash'),
    )
    test
      .expect(screen.written().lastIndexOf('\u001b[?25h'))
      .toBeGreaterThan(screen.written().lastIndexOf('\u001b[?25l'))
    await test.expect.poll(() => stateOf(helper), patient).toBe('gone')
    await screen.until('before')
    await isUsable(test, screen, 'yes')
    // The next console works normally.
    await begin(screen)
    screen.press('q')
    await screen.shows('the shell', () => !screen.isAlternate())
  },
)

it.concurrent(
  'the shell that started the console by another program is usable after kill -9',
  generous,
  async (test) => {
    const shop = openShop(test)
    const bin = join(shop.folder, 'bin')
    mkdirSync(bin)
    for (const tool of ['git', 'ps', 'sleep', 'stty'])
      symlinkSync(execFileSync('/bin/sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim(), join(bin, tool))
    const screen = shop.startProgram(['/bin/bash', '--norc', '-i'], {
      columns: 100,
      environment: { PS1: '$ ', PATH: bin },
    })
    await screen.until('$')
    // It runs a little longer: the state in which bash finds its ended job must not depend on timing.
    screen.press(`cd shop; /bin/sh -c '${programCommand.join(' ')} tui; echo be''fore; sleep 3'\r`)
    await screen.until('1 Board')
    await screen.shows('the mouse', () => screen.mouse())
    const console = childOf(childOf(screen.pid, '/bin/sh')!, 'main.js')!
    await test.expect.poll(() => childOf(console, 'terminal-restorer'), patient).toBeDefined()
    const helper = childOf(console, 'terminal-restorer')!
    process.kill(console, 'SIGKILL')
    // Its output may go to the screen that the dead console has left.
    await test.expect.poll(() => screen.written(), patient).toContain('before')
    await test.expect.poll(() => stateOf(helper), patient).toBe('gone')
    await isUsable(test, screen, 'yes')
  },
)

it.concurrent(
  'the process that would restore the terminal does not count as an agent, and is gone after the console quits',
  generous,
  async (test) => {
    const { shop, screen, rescue } = await openFromShell(test)
    const helper = rescue()
    test.expect(readProcessTable().find(({ pid }) => pid === helper)?.session).toBe(helper)
    test.expect(readFileSync(`/proc/${helper}/environ`, 'utf8')).not.toContain('AISWARM')
    test.expect(await shop.answer('agent', 'list', '--all')).toEqual([])
    screen.press('q')
    await screen.shows('the shell', () => !screen.isAlternate())
    await test.expect.poll(() => stateOf(helper), patient).toBe('gone')
    // Nothing was restored twice, which would have moved the cursor.
    test.expect(screen.written().split('\u001b[?1049l')).toHaveLength(2)
    await isUsable(test, screen, 'yes')
  },
)

it.concurrent('kill -9 while a shell or an editor has the terminal writes nothing over it', generous, async (test) => {
  const { screen, pid } = await openFromShell(test)
  screen.press('o')
  await screen.shows('the shell in the shop', () => !screen.isAlternate() && !screen.mouse())
  screen.press(`echo in''side\r`)
  await screen.until('inside')
  const [before, killed] = [screen.written().length, pid()]
  process.kill(killed, 'SIGKILL')
  await screen.until('Killed')
  await test.expect.poll(() => stateOf(killed), patient).toBe('gone')
  test.expect(screen.written().slice(before)).not.toContain('\u001b[?')
})

it.concurrent(
  'Ctrl-Z restores the terminal, fg resumes the console in the current size, and agents continue',
  generous,
  async (test) => {
    const { shop, screen, pid } = await openFromShell(test)
    const first = pid()
    await shop.add('Count', `i=0; while [ ! -e ../go ]; do echo line $((i += 1)); sleep 0.1; done`)
    await screen.until(/[●\u2800-\u28ff] working .*Count/)
    const lines = async (): Promise<number> =>
      (await shop.run('agent', 'logs', 'implementer-1', '--raw')).out.split('\n').length
    screen.press(ctrlZ)
    await isUsable(test, screen, 'one')
    test.expect(modesOn(screen.written())).toEqual([])
    await test.expect.poll(() => stateOf(first), patient).toBe('T')
    const counted = await lines()
    screen.resize(70, 20)
    screen.press('fg\r')
    await screen.shows('the console again', () => screen.isAlternate() && screen.mouse())
    await screen.shows(
      'a frame of 70×20',
      (text) =>
        text.split('\n').every((line) => [...line].length <= 70) &&
        /^ (?:aiswarm {2})?shop/.test(text) &&
        text.split('\n')[18]!.includes('? help'),
    )
    await screen.until(/[●\u2800-\u28ff] working .*Count/)
    await test.expect.poll(lines, patient).toBeGreaterThan(counted)
    screen.press('?')
    await screen.until('[Keys]')
    // From a form as well, and back in it.
    screen.press(escape)
    await screen.lacks('[Keys]')
    screen.press('n')
    await screen.until('[New task]')
    screen.press(`Bake${ctrlZ}`)
    await isUsable(test, screen, 'two')
    screen.press('fg\r')
    await screen.until(/▸Title +Bake/)
    shop.write({ '../go': '' })
    await screen.until(/✓ done|1\/1/)
  },
)

it.concurrent(
  'SIGTSTP stops the console like Ctrl-Z, bg stops it again, and fg alone resumes it',
  generous,
  async (test) => {
    const { screen, pid } = await openFromShell(test, shells[1][1])
    process.kill(pid(), 'SIGTSTP')
    await isUsable(test, screen, 'one')
    const written = screen.written().length
    screen.press('bg\r')
    await screen.until(/bg\s[^]*main.js tui &/)
    // The shell must have noticed the stop, which it reports before a prompt: its fg resumes nothing if it believes that
    // the job runs.
    const again = (): string => {
      screen.press('\r')
      return screen.written().slice(written)
    }
    await test.expect.poll(again, patient).toContain('Stopped')
    test.expect(stateOf(pid())).toBe('T')
    test.expect(again()).not.toContain('\u001b[?1049h')
    screen.press('fg\r')
    await screen.until(/1 Board[^]*\? help/)
    await screen.shows('the mouse', () => screen.mouse())
    // A stop that cannot be caught leaves the shell with the console's screen; the resumed console is complete anyway.
    process.kill(pid(), 'SIGSTOP')
    await screen.until('Stopped')
    screen.press(`clear; echo scri''bble\r`)
    await screen.until('scribble')
    screen.press('fg\r')
    await screen.shows(
      'the frame alone',
      (text) => /^ aiswarm/.test(text) && text.includes('? help') && !text.includes('scribble'),
    )
    screen.press('?')
    await screen.until('[Keys]')
  },
)

it.concurrent('a console that is killed while it is stopped does not affect the shell', generous, async (test) => {
  const { screen, pid, rescue } = await openFromShell(test)
  const [console, helper] = [pid(), rescue()]
  screen.press(ctrlZ)
  await isUsable(test, screen, 'one')
  await test.expect.poll(() => stateOf(console), patient).toBe('T')
  const before = screen.written().length
  process.kill(console, 'SIGKILL')
  await test.expect.poll(() => stateOf(helper), patient).toBe('gone')
  screen.press(`echo fi''ne\r`)
  await screen.until(/^[$ ]*fine/m)
  test.expect(screen.written().slice(before)).not.toContain('\u001b[?')
})

it.concurrent(
  'Ctrl-Z explains itself and the console continues if no shell could resume it',
  generous,
  async (test) => {
    const shop = openShop(test)
    const screen = await shop.console()
    screen.press(ctrlZ)
    await screen.until('no shell with job control started it')
    screen.press('?')
    await screen.until('[Keys]')
  },
)

for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
  it.concurrent(`${signal} restores the terminal and ends the console`, generous, async (test) => {
    const { screen, pid } = await openFromShell(test)
    const console = pid()
    process.kill(console, signal)
    await isUsable(test, screen, 'yes')
    test.expect(modesOn(screen.written())).toEqual([])
    await test.expect.poll(() => stateOf(console), patient).toBe('gone')
  })
}

it.concurrent('a closed terminal ends the console, and its agents continue', generous, async (test) => {
  const shop = openShop(test, { config: 'lease: {ttl: 2s, heartbeat: 300ms}\n' })
  const screen = await shop.console()
  await shop.add('Count', `while [ ! -e ../go ]; do sleep 0.1; done; echo the end`)
  await screen.until(/[●\u2800-\u28ff] working .*Count/)
  screen.close()
  await screen.ended()
  test.expect(await shop.answer('agent', 'list')).toMatchObject([{ taskId: 1 }])
  shop.write({ '../go': '' })
  const next = await shop.console()
  await next.until(/✓ done .*Count/)
})

it.concurrent(
  'a terminal without cursor addressing gets a message with the commands that work there',
  generous,
  async (test) => {
    const shop = openShop(test)
    const start = (...words: readonly string[]): Screen =>
      shop.startProgram(['/usr/bin/env', ...words, ...programCommand, 'tui', '--root', shop.root], { columns: 200 })
    const dumb = start('TERM=dumb')
    test.expect(await dumb.ended()).toBe(1)
    test
      .expect(dumb.written())
      .toBe(
        "The console needs a terminal that can position its cursor, but TERM is 'dumb'. On this terminal, use 'aiswarm status --watch' to see the state, or 'aiswarm run' to run the tasks.\r\n",
      )
    const unset = start('-u', 'TERM')
    test.expect(await unset.ended()).toBe(1)
    test
      .expect(unset.written())
      .toMatch(/^TERM is not set, so the console does not know its terminal\. .*status --watch.*aiswarm run/)
    // The commands that it names work there: line after line, without cursor addressing.
    const status = shop.startProgram([
      '/usr/bin/env',
      'TERM=dumb',
      ...programCommand,
      'status',
      '--watch',
      '--root',
      shop.root,
    ])
    await status.until(/session/i)
    await shop.add('Bake', 'exit 0')
    await status.until(/1 pending|pending +1|tasks.*1/i)
    status.press('\u0003')
    await status.ended()
    test.expect(status.written()).not.toContain(escape)
  },
)

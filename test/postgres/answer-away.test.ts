import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import pty from '@lydell/node-pty'
import { expect, onTestFinished, test } from 'vitest'
import { outputPath } from '../../src/effects/files/paths.ts'
import type { RequestView } from '../../src/operations/requests/requests.ts'
import { until } from '../effects/swarm.ts'
import { enter, generous, openShop } from '../stories/pty.ts'
import { ownCluster } from '../support/board-on-server.ts'
import { temporaryFolder } from '../support/core.ts'
import { type Host, hosts, twoHosts } from '../support/hosts.ts'

// A person answers an agent, or hands its conversation back, and the server goes away in the middle.

const cluster = ownCluster()
const main = resolve(import.meta.dirname, '../../dist/main.js')
const fixture = (name: string): string => resolve(import.meta.dirname, '../fixtures', name)

/** A configuration with a kind of agent that speaks stream-json and follows these turns. */
const talkerOf = (
  folder: string,
  turns: readonly (readonly Readonly<Record<string, unknown>>[])[],
  more = '',
): string => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'turns.json'), JSON.stringify(turns))
  const command = JSON.stringify([process.execPath, fixture('stream-agent.mjs'), folder])
  return `agents: {default: talker, kinds: {talker: {command: ${command}, protocol: stream-json${more}}}}\n`
}

/** A command at a terminal of a host. */
const atTerminal = ({ root, environment }: Host, ...words: readonly string[]) => {
  const terminal = pty.spawn(process.execPath, [main, ...words], { cwd: root, env: environment, cols: 400, rows: 40 })
  onTestFinished(() => terminal.kill('SIGKILL'))
  let shown = ''
  let code: number | undefined
  terminal.onData((piece) => (shown += piece))
  terminal.onExit(({ exitCode }) => (code = exitCode))
  return {
    type: (line: string): void => terminal.write(`${line}\r`),
    until: (words: RegExp): Promise<unknown> => until(`${words}`, () => words.test(shown)),
    ended: (): Promise<number> =>
      until('its end', () => (code === undefined ? undefined : { code })).then((it) => it.code),
    shown: () => shown,
  }
}

test(
  'a permission that is given on one host reaches the agent on another one once, although the server is away in the middle',
  generous,
  async () => {
    const { first, second } = await twoHosts(cluster)
    const ask = (n: number) => ({ ask: { tool: 'Bash', input: { command: `make ${n}` } }, id: `call-${n}` })
    const config = talkerOf(join(temporaryFolder(), 'agent'), [[ask(1), ask(2), { until: 'end' }]])
    for (const { root } of [first, second]) writeFileSync(join(root, '.aiswarm/config.yaml'), config)
    const [, other] = hosts(first)
    second.worker()
    first.run(['worktree', 'create', 'w', '--branch', 'w', '--host', other!.id])
    first.run(['task', 'add', 'Bake', '--persona', 'implementer', '--worktree', 'w'])
    const requests = (...words: readonly string[]) => first.run<readonly RequestView[]>(['request', 'list', ...words])
    const { agentId } = await until('a request', () => requests()[0])
    const heard = () => readFileSync(outputPath(second.root, agentId), 'utf8').split('allowed Bash').length - 1

    // The person has read the question, and the server goes away before the answer.
    const terminal = atTerminal(first, 'request', 'answer', '1', '--allow')
    await terminal.until(/Type the agent's id/)
    cluster.stop()
    terminal.type(agentId)
    await terminal.until(/The command waits for it\./)
    cluster.start()
    expect([await terminal.ended(), terminal.shown().match(/waits for it/g)?.length]).toEqual([0, 1])
    expect(terminal.shown()).toContain('The board answers again.')
    await until('the answer', () => heard() === 1)

    // The server goes away after the answer, before the host of the agent has read it.
    await until('another request', () => requests()[0])
    const again = atTerminal(first, 'request', 'answer', '2', '--allow')
    await again.until(/Type the agent's id/)
    again.type(agentId)
    expect(await again.ended()).toBe(0)
    cluster.stop('immediate')
    cluster.start()
    await until('the other answer', () => heard() === 2)
    const told = () => requests('--all').map(({ status, toldAt }) => [status, toldAt !== null])
    await until('the news of both', () => told().every(([, isTold]) => isTold))
    expect(told()).toEqual([
      ['allowed', true],
      ['allowed', true],
    ])
    expect(heard()).toBe(2)
  },
)

test(
  'a conversation that a person hands back while the server is away is handed back with what was typed, once it is there',
  generous,
  async (context) => {
    const shop = openShop(context, { ownStore: true })
    const terminal = JSON.stringify([
      process.execPath,
      fixture('terminal-agent.mjs'),
      join(shop.folder, 'typed'),
      '{session}',
    ])
    const turns = [[{ say: 'I begin.' }, { until: 'never' }]]
    shop.write({ '.aiswarm/config.yaml': talkerOf(join(shop.folder, 'agent'), turns, `, terminal: ${terminal}`) })
    expect(await shop.run('init', '--yes', '--store', `${cluster.url()}&schema=handed`)).toMatchObject({ code: 0 })
    await shop.answer('worktree', 'create', 'auth', '--branch', 'auth')
    await shop.answer('task', 'add', 'Sell more', '--persona', 'implementer', '--worktree', 'auth')
    const screen = await shop.console({ columns: 120, rows: 30 })
    await screen.until('I begin.')
    const person = shop.start(['agent', 'take-over', 'implementer-1', '--root', shop.root], { columns: 400, rows: 40 })
    await person.until('The conversation session-1 goes on here.')
    person.press(`/exit${enter}`)
    await person.until('agent, done, failed, board?')
    person.press(`done${enter}`)
    await person.until('The result')
    cluster.stop()
    person.press(`A table${enter}`)
    await person.until('The command waits for it.')
    cluster.start()
    await person.until('Task 1 is completed.')
    expect(await person.ended()).toBe(0)
    expect(await shop.answer('task', 'show', '1')).toMatchObject({ status: 'completed', resultData: 'A table' })
    const { attempts } = await shop.answer<{ attempts: readonly { outcome: string | null }[] }>('task', 'show', '1')
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['terminated', 'completed'])
  },
)

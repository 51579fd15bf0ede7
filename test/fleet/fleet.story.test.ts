import { appendFileSync, mkdirSync, readFileSync, writeFileSync, existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { git, until } from '../effects/swarm.ts'
import { enter, escape, openScreen, right, type Screen, tab } from '../stories/pty.ts'
import { type Lab, openLab } from './lab.ts'
import { type FleetMachine, main, type Running } from './machine.ts'

const program = resolve(import.meta.dirname, '../fixtures/stream-agent.mjs')

const config = `
lease: {ttl: 3s, heartbeat: 500ms, terminateGrace: 200ms}
fleet: {silentAfter: 4s, lostAfter: 10m}
worktrees: {ports: [41000, 41001]}
agents: {default: talker, kinds: {talker: {command: [sh, -c, 'exec "$0" "$1" "$HOME/agent"', '${process.execPath}', '${program}'], protocol: stream-json}}}
`

const consoleOf = async ({ words, root, environment }: FleetMachine): Promise<Screen> => {
  const screen = openScreen([...words(), process.execPath, main, 'tui'], { columns: 160, rows: 44 }, root, {
    ...environment,
  })
  await screen.until(/1 Board/)
  await screen.listens()
  return screen
}

const tell = ({ home }: FleetMachine, word: string): void => appendFileSync(join(home, 'agent', word), '')
const heard = ({ home }: FleetMachine): readonly string[] => {
  const path = join(home, 'agent', 'heard.jsonl')
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => (JSON.parse(line) as string).split('\n').at(-1)!)
}
const agentOf = ({ home }: FleetMachine, turns: readonly (readonly object[])[]): void => {
  mkdirSync(join(home, 'agent'))
  writeFileSync(join(home, 'agent', 'turns.json'), JSON.stringify(turns))
}

const addOn = async ({ run }: FleetMachine, host: string, worktree: string, ...task: readonly string[]) => {
  await run(['worktree', 'create', worktree, '--branch', worktree, '--host', host])
  return (
    await run<{ id: number }>(['task', 'add', worktree, '--persona', 'implementer', '--worktree', worktree, ...task])
  ).id
}

test(
  'a person on a laptop approves the work of host b, answers and stops an agent on c, drains a, declares b lost and sees it come back',
  { timeout: 600_000 },
  async (context) => {
    const lab: Lab = await openLab({
      hosts: ['a', 'b', 'c'],
      guests: ['laptop'],
      files: { 'README.md': 'a shop\n', '.aiswarm/config.yaml': config },
    })
    context.onTestFinished(() => lab.close(), 120_000)
    console.log(`hosts are ${lab.form}`)
    const [a, b, c, laptop] = ['a', 'b', 'c', 'laptop'].map((name) => lab.machines[name]!) as [
      FleetMachine,
      FleetMachine,
      FleetMachine,
      FleetMachine,
    ]
    const workers = [a, b, c].map((host) => host.start(['worker', '--max-parallel', '4']))
    await until('the workers', async () => Object.values(await lab.hosts()).every(({ beatAt }) => beatAt !== null))
    const screen = await consoleOf(laptop)
    context.onTestFinished(() => screen.kill())

    // The work of host b.
    await addOn(laptop, 'b', 'lamp', '--command', 'echo lamp > lamp.txt; git add .; git commit -qm Lamp')
    await screen.until(/ 1 .*✓ done .*lamp/)
    screen.press('4')
    await screen.until('[4 Worktrees]')
    screen.press('i')
    await screen.until('Integrate lamp (lamp) into main')
    await screen.until('lamp.txt')
    await screen.until('y approve exactly these commits')
    screen.press('y')
    await screen.until(/lamp .*✓ integrated/)
    expect(git(lab.remote.folder, 'log', '-1', '--format=%P', 'main').split(' ')).toHaveLength(2)
    expect(git(lab.remote.folder, 'show', 'main:lamp.txt')).toBe('lamp')
    screen.press('1')

    // A question of an agent on c.
    agentOf(c, [
      [
        { say: 'I begin.' },
        { ask: { tool: 'Bash', input: { command: 'ls -l' } } },
        { until: 'go' },
        { say: 'on it' },
        { until: 'never' },
      ],
      [{ say: 'as you say' }, { until: 'end' }],
    ])
    await addOn(laptop, 'c', 'shelf')
    await screen.until('⚑ 1 needs you')
    screen.press('w')
    await screen.until(/asks for permission/)
    await screen.until('ls -l')
    screen.press('y')
    await screen.until(/Allowed implementer-\d+ to use Bash once/)
    screen.press(escape)
    screen.press('j')
    await screen.until(/3 Log {2}task 2 implementer-2[^]*allowed Bash/)
    // Its row has the answer before the agent does, and a message that comes first is read with the answer.
    await until('the answer', () => existsSync(join(c.home, 'agent', 'asked.jsonl')))

    // A message to it, in the middle of its turn, and the end of the turn.
    screen.press('M')
    await screen.until('Say to implementer-2 (talker)')
    screen.press('Mind the tax.')
    screen.press(enter)
    await screen.until('is queued (now)')
    screen.press('2')
    screen.press(enter)
    await screen.until(/Messages {2}1[^]*human, now: handed over/)
    screen.press(escape)
    tell(c, 'go')
    await until('the message', () => heard(c).includes('Mind the tax.'))
    screen.press('M')
    await screen.until('Say to implementer-2')
    screen.press('Only the tax.')
    screen.press(tab)
    screen.press(right)
    screen.press(right)
    await screen.until(/When +◂ stop the turn first/)
    screen.press(enter)
    await until('the second message', () => heard(c).includes('Only the tax.'))
    await screen.until('as you say')
    screen.press('c')
    await screen.until(/implementer-2 \(talker\)[^]*Only the tax\.[^]*as you say/)
    screen.press(escape)

    // Its output as its program wrote it, read on the laptop; and its use of the processor there, in the pane.
    // On a busy machine the host may be silent for a moment; the command then says to try again.
    await until('its output', () => /^\{.*as you say/m.test(laptop.sh('aiswarm agent logs implementer-2 --raw')))
    expect(laptop.sh('aiswarm agent logs implementer-2')).not.toContain('{"type"')
    await screen.until(/implementer-2 +c +\d+ +\d+% +\d+M/)

    // The files of its worktree, as they are now, and a shell there.
    c.sh('echo draft > ../shelf/draft.txt')
    screen.press('4')
    await screen.until('[4 Worktrees]')
    screen.press('j')
    await screen.until(/▸shelf/)
    screen.press('D')
    await screen.until(/Diff of shelf[^]*draft\.txt[^]*\+ *draft/)
    screen.press(escape)
    await screen.until('[4 Worktrees]')
    screen.press('o')
    await screen.until("'aiswarm host label c --ssh ADDRESS' lets this key open it there.")
    await c.run(['host', 'label', 'c', '--ssh', 'anna@c'])
    writeFileSync(join(laptop.home, '../bin/ssh'), '#!/bin/sh\nprintf "%s\\n" "$@" > "$HOME/ssh"\nexit 255\n', {
      mode: 0o755,
    })
    const path = join(laptop.home, 'ssh')
    // The console may not have read the address yet; then the key refuses again.
    const called = await until('ssh', async () => {
      screen.press('o')
      await sleep(500)
      return existsSync(path) && readFileSync(path, 'utf8')
    })
    await screen.until("Cannot open ssh: it ended with exit code 255. Try 'ssh anna@c' in a shell.")
    expect(called).toMatch(new RegExp(`^-t\\nanna@c\\ncd '?${join(c.root, '../shelf')}'? && exec`))

    // The work of b continues on c when b is declared lost, because a takes nothing new.
    await screen.until('[4 Worktrees]')
    await addOn(
      laptop,
      'b',
      'till',
      '--command',
      'echo half > half.txt; until [ -e done ]; do sleep 0.05; done; rm done',
    )
    await until('its work', () => existsSync(join(b.root, '../till/half.txt')))
    screen.press('H')
    await screen.until(/▸a +up/)
    screen.press('d')
    await screen.until('Host a starts nothing new.')
    await screen.until(/▸a +draining/)
    cut(b, workers[1]!, true)
    screen.press('j')
    await screen.until(/▸b +silent since/)
    screen.press('x')
    await screen.until(/Declare host b lost\?[^]*1 agent/)
    screen.press('y')
    await screen.until('Host b is lost; 1 agent ended')
    await screen.until(/till-2 .* c /)
    await until('its work on c', () => existsSync(join(c.root, '../till-2/half.txt')))
    c.sh('touch ../till-2/done')
    await screen.until(/ 3 .*✓ done .*till/)

    // It comes back with what it had.
    cut(b, workers[1]!, false)
    await screen.until('⚑ 1 needs you')
    screen.press('H')
    await screen.until(/b +up/)
    screen.press('j')
    await screen.until(/▸b +up[^]*till/)
    screen.press('y')
    await screen.lacks('1 needs you')
    const ref = git(lab.remote.folder, 'for-each-ref', '--format=%(refname)', 'refs/aiswarm/returned')
    expect(git(lab.remote.folder, 'show', `${ref}:half.txt`)).toBe('half')
    expect((await lab.hosts())['b']).toMatchObject({ state: 'up', epoch: 2 })
  },
)

/** Cuts a machine off; where machines have no network of their own, its worker is stopped. */
const cut = ({ net }: FleetMachine, worker: Running, off: boolean): void => {
  if (net) net.link(!off)
  else worker.signal(off ? 'SIGSTOP' : 'SIGCONT')
}

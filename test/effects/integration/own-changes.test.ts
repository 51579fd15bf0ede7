import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { insertRequest } from '../../../src/db/requests.ts'
import { person } from '../../../src/domain/actor.ts'
import { CONFIGURATION_HELD } from '../../../src/domain/own-configuration.ts'
import { initialise } from '../../../src/effects/initialise.ts'
import { checkGuard } from '../../../src/effects/integration/guard.ts'
import { landQueue } from '../../../src/effects/integration/queue.ts'
import { settle } from '../../../src/effects/reaper.ts'
import { stop } from '../../../src/effects/stopper.ts'
import { startSupervisor } from '../../../src/effects/supervisor.ts'
import type { World } from '../../../src/effects/world.ts'
import { answerRequest } from '../../../src/operations/answer-request.ts'
import { approveIntegration } from '../../../src/operations/approve-integration.ts'
import { deregisterAgent } from '../../../src/operations/deregister-agent.ts'
import { getPersona } from '../../../src/operations/get-persona.ts'
import { act, perform } from '../../../src/operations/kernel/perform.ts'
import { readBoard } from '../../../src/operations/read-board.ts'
import { readGuard } from '../../../src/operations/read-guard.ts'
import { registerAgent } from '../../../src/operations/register-agent.ts'
import { requestIntegration } from '../../../src/operations/request-integration.ts'
import { requestPermission } from '../../../src/operations/request-permission.ts'
import { terminateAgent } from '../../../src/operations/terminate-agent.ts'
import { trustConfiguration } from '../../../src/operations/trust-configuration.ts'
import { refusal } from '../../support/core.ts'
import { commit, openSwarm, read, sh, type Swarm, until, write } from '../swarm.ts'

const CONFIG = '.aiswarm/config.yaml'
const guard = async ({ core }: Swarm) => (await perform(core, readGuard, {}, person))!
const changes = async (swarm: Swarm) => (await guard(swarm)).changed
const waiting = async ({ core }: Swarm) => (await perform(core, readBoard, {}, person)).attention.filter(({ kind }) => kind === 'configuration')
const accept = async (swarm: Swarm) => perform(swarm.core, trustConfiguration, { hash: (await changes(swarm))!.hash }, person)
const notifyOf = ({ core }: World) => core.settings.notify.command

/** A repository in which an agent runs until its folder says so. */
const withAgent = async (config = '', files?: Readonly<Record<string, string>>) => {
  const swarm = await openSwarm({ config, ...(files ? { files } : {}) })
  await swarm.task({ command: 'until [ -e done ]; do sleep 0.01; done' })
  const run = await swarm.begin()
  const end = async () => {
    write(swarm.root, { done: '' })
    await swarm.ended(run)
    await settle(swarm.world, run, 'ended')
  }
  return { swarm, run, end }
}

describe("aiswarm's own configuration, changed while an agent runs,", () => {
  it('waits for a person with what differs, counts as it was until then, and from then on as it is', async () => {
    const { swarm, end } = await withAgent('notify: {command: "true"}\n')
    write(swarm.root, { [CONFIG]: 'notify: {command: ./evil.sh}\non: {task.completed: ./worse.sh}\n' })
    expect(notifyOf(await swarm.open())).toBe('true')
    expect(swarm.warnings).toEqual([CONFIGURATION_HELD])
    expect((await changes(swarm))!.lines).toEqual([`- ${CONFIG}: notify.command = true`, `+ ${CONFIG}: notify.command = ./evil.sh`, `+ ${CONFIG}: on.task.completed = ./worse.sh`])
    expect(await waiting(swarm)).toMatchObject([{ text: expect.stringContaining("aiswarm's own configuration has changed while agents ran") as string }])
    expect((await waiting(swarm))[0]!.evidence).toContain(`+ ${CONFIG}: notify.command = ./evil.sh`)
    await end()
    // That nobody runs any more does not make it a person's.
    expect(notifyOf(await swarm.open())).toBe('true')
    await accept(swarm)
    expect(await waiting(swarm)).toEqual([])
    expect(notifyOf(await swarm.open())).toBe('./evil.sh')
  })

  it('is told of when the run is over, where nobody has looked before', async () => {
    const swarm = await openSwarm({ config: 'notify: {command: "true"}\n' })
    expect((await swarm.carryOut(`echo 'notify: {command: ./evil.sh}' > ${CONFIG}`)).status).toBe('completed')
    expect((await waiting(swarm)).length).toBe(1)
    expect(notifyOf(await swarm.open())).toBe('true')
  })

  it('is told of when the agent is stopped', async () => {
    const { swarm, run } = await withAgent('notify: {command: "true"}\n')
    await perform(swarm.core, terminateAgent, { agentId: run.agentId, reason: 'enough' }, person)
    write(swarm.root, { [CONFIG]: 'notify: {command: ./evil.sh}\n' })
    expect(await stop(swarm.world, await swarm.run(run.agentId))).toBe(true)
    expect(notifyOf(await swarm.open())).toBe('true')
  })

  it.each(['the agent that registered itself is alive', 'it fell silent a moment ago', 'it signed off a moment ago'])('waits for a person where %s', async (when) => {
    const swarm = await openSwarm({ config: 'notify: {command: "true"}\n' })
    await perform(swarm.core, registerAgent, { id: 'ext', personaId: 'implementer' }, person)
    if (when.startsWith('it fell')) swarm.core.store.connection.prepare("UPDATE agents SET status = 'offline' WHERE id = 'ext'").run()
    if (when.startsWith('it signed')) await perform(swarm.core, deregisterAgent, { agentId: 'ext' }, person)
    write(swarm.root, { [CONFIG]: 'notify: {command: ./evil.sh}\n' })
    expect(notifyOf(await swarm.open())).toBe('true')
    expect((await waiting(swarm)).length).toBe(1)
  })

  it.each([
    [
      'by what left the run and writes a moment after its end',
      `setsid sh -c "sleep 0.2; echo 'notify: {command: ./evil.sh}' > ${CONFIG}; touch -d '2040-01-01' ${CONFIG}; touch planted" > /dev/null 2>&1 &`,
    ],
    ['by what left the run and takes the file away', `setsid sh -c "sleep 0.2; rm ${CONFIG}; touch planted" > /dev/null 2>&1 &`],
  ])('waits for a person where it is changed %s', async (_, command) => {
    const swarm = await openSwarm({ config: 'notify: {command: "true"}\n' })
    // Without its markers: those are ended with their run.
    await swarm.carryOut(command.replace('setsid', 'setsid env -i PATH="$PATH"'))
    await until('the change', () => existsSync(swarm.path('planted')))
    expect(notifyOf(await swarm.open())).toBe('true')
    expect((await waiting(swarm)).length).toBe(1)
    swarm.minutesPass()
    expect(notifyOf(await swarm.open())).toBe('true')
  })

  it('and put back is as if nothing had been', async () => {
    const { swarm } = await withAgent('notify: {command: "true"}\n')
    write(swarm.root, { [CONFIG]: '' })
    expect(await checkGuard(swarm.world)).toBe(false)
    write(swarm.root, { [CONFIG]: 'notify: {command: "true"}\n' })
    await swarm.open()
    expect(await changes(swarm)).toBeNull()
  })

  it('and broken does not keep aiswarm from beginning', async () => {
    const { swarm } = await withAgent('notify: {command: "true"}\n')
    write(swarm.root, { [CONFIG]: 'notify: [\n' })
    expect(notifyOf(await swarm.open())).toBe('true')
    expect((await changes(swarm))!.lines).toEqual([`- ${CONFIG}: notify: {command: "true"}`, `+ ${CONFIG}: notify: [`])
  })

  it('holds integrations up until it is accepted', async () => {
    const { swarm } = await withAgent()
    commit(await swarm.build('auth'), { 'a.txt': 'x\n' })
    write(swarm.root, { [CONFIG]: 'integration: {verify: ./evil.sh}\n' })
    const request = async () => (await act(swarm.connection, requestIntegration, { worktreeName: 'auth' })).integration!
    expect(await request()).toMatchObject({ status: 'requested', problem: expect.stringContaining('what aiswarm itself obeys') as string })
    await accept(swarm)
    expect(await request()).toMatchObject({ status: 'ready' })
  })

  it('is not run by the hooks that it names', async () => {
    const { swarm } = await withAgent()
    // The agent has the main checkout for itself.
    await swarm.build('aside')
    const supervisor = startSupervisor(swarm.world, { maxParallel: 2 })
    onTestFinished(() => supervisor.stop())
    await until('the supervisor', () => supervisor.standing().pid !== null)
    write(swarm.root, { [CONFIG]: 'on: {task.completed: echo told >> told.txt}\n' })
    await until('the change to be seen', () => changes(swarm))
    const { id } = await swarm.task({ command: 'true', targetWorktree: 'aside' })
    await until('the task', async () => (await swarm.show(id)).status === 'completed')
    expect(swarm.core.store.connection.prepare('SELECT count(*) FROM hooks').pluck().get()).toBe(0)
    await accept(swarm)
    await until('the hook to be seen', () => swarm.core.store.connection.prepare('SELECT count(*) FROM hooks').pluck().get() === 1)
    await swarm.task({ command: 'true', targetWorktree: 'aside' })
    await until('the hook', () => existsSync(join(swarm.root, 'told.txt')))
  })

  it('allows no more than it did, also where a person adds a rule', async () => {
    const { swarm, run } = await withAgent()
    const actor = { kind: 'agent', id: run.agentId, role: 'worker', worktree: null } as const
    const ask = async (command: string) => (await perform(swarm.core, requestPermission, { toolName: 'Bash', input: { command } }, actor)).status
    write(swarm.root, { [CONFIG]: 'agents: {personas: {implementer: {allow: [shell(rm)]}}}\n' })
    expect(await ask('rm -rf x')).toBe('open')
    const requestId = await swarm.core.store.write((db) =>
      insertRequest(db, { kind: 'permission', agent_id: run.agentId, tool: 'Bash', subject: 'npm test', rule: 'shell(npm test)', asked_at: swarm.core.clock() }),
    )
    await act(swarm.connection, answerRequest, { requestId, verdict: 'always' })
    expect(read(swarm.root, CONFIG)).toContain('shell(npm test)')
    expect([await ask('rm -rf x'), await ask('npm test')]).toEqual(['open', 'allowed'])
    await checkGuard(swarm.world)
    expect((await changes(swarm))!.lines.some((line) => line.includes('shell(rm)'))).toBe(true)
    await accept(swarm)
    expect(await ask('rm -rf x')).toBe('allowed')
  })

  it('makes no planner of a worker', async () => {
    const { swarm } = await withAgent('', { '.aiswarm/personas/painter.md': 'You paint.\n' })
    const painter = async ({ core }: World) => perform(core, getPersona, { personaId: 'painter' }, person)
    write(swarm.root, { '.aiswarm/personas/painter.md': '---\nrole: planner\n---\nYou paint.\n' })
    expect(await painter(await swarm.open())).toMatchObject({ role: 'worker' })
    expect((await changes(swarm))!.lines).toEqual(['---', 'role: planner', '---'].map((line) => `+ .aiswarm/personas/painter.md: ${line}`))
    await accept(swarm)
    expect(await painter(await swarm.open())).toMatchObject({ role: 'planner' })
  })
})

describe('nobody is asked about', () => {
  it("a person's edit while no agent runs", async () => {
    const swarm = await openSwarm({ config: 'notify: {command: one}\n' })
    await swarm.carryOut('true')
    swarm.minutesPass()
    write(swarm.root, { [CONFIG]: 'notify: {command: two}\n', '.aiswarm/personas/painter.md': 'You paint.' })
    expect(notifyOf(await swarm.open())).toBe('two')
    await swarm.carryOut('true')
    expect([await changes(swarm), swarm.warnings]).toEqual([null, []])
  })

  it('one that breaks it, which is refused as ever', async () => {
    const swarm = await openSwarm()
    write(swarm.root, { [CONFIG]: 'notify: [\n' })
    expect((await refusal(swarm.open())).code).toBe('config_invalid')
    write(swarm.root, { [CONFIG]: 'notify: {command: two}\n' })
    expect(notifyOf(await swarm.open())).toBe('two')
  })

  it('a rule that a person wants remembered', async () => {
    const { swarm, run } = await withAgent('# mine\n')
    const requestId = await swarm.core.store.write((db) =>
      insertRequest(db, { kind: 'permission', agent_id: run.agentId, tool: 'Bash', subject: 'npm test', rule: 'shell(npm test)', asked_at: swarm.core.clock() }),
    )
    await act(swarm.connection, answerRequest, { requestId, verdict: 'always' })
    expect([await checkGuard(swarm.world), await changes(swarm)]).toEqual([true, null])
  })

  it('what aiswarm init writes', async () => {
    const { swarm, end } = await withAgent()
    await end()
    swarm.minutesPass()
    rmSync(swarm.path(CONFIG), { force: true })
    await initialise(swarm.root)
    expect(existsSync(swarm.path(CONFIG))).toBe(true)
    expect(await checkGuard(swarm.world)).toBe(true)
  })

  it('the configuration in the worktree of an agent, nor about that which a person lets land', async () => {
    const { swarm } = await withAgent('', { [CONFIG]: 'notify: {command: one}\n' })
    const folder = await swarm.build('auth')
    commit(folder, { [CONFIG]: '# better\nnotify: {command: two}\n' })
    const { status, targetOid, branchOid, mergeOid } = (await act(swarm.connection, requestIntegration, { worktreeName: 'auth' })).integration!
    expect([status, await changes(swarm)]).toEqual(['ready', null])
    await perform(swarm.core, approveIntegration, { worktreeName: 'auth', targetOid: targetOid!, branchOid: branchOid!, mergeOid: mergeOid! }, person)
    await landQueue(swarm.world, 'main')
    expect(read(swarm.root, CONFIG)).toContain('command: two')
    expect([await checkGuard(swarm.world), await changes(swarm)]).toEqual([true, null])
    expect(notifyOf(await swarm.open())).toBe('two')
  })

  it('what an older aiswarm did not remember', async () => {
    const { swarm } = await withAgent('notify: {command: one}\n')
    const { connection } = swarm.core.store
    const entries = Object.fromEntries(Object.entries((await guard(swarm)).entries).filter(([name]) => !name.startsWith('.aiswarm/')))
    connection.prepare("UPDATE repository_guard SET entries = ?, hash = 'of an older one'").run(JSON.stringify(entries))
    expect(notifyOf(await swarm.open())).toBe('one')
    expect([await checkGuard(swarm.world), await changes(swarm)]).toEqual([true, null])
  })
})

it('what has landed unread waits for a person, also where no agent runs any more', async () => {
  const swarm = await openSwarm({ files: { [CONFIG]: 'integration: {approval: auto}\n' } })
  commit(await swarm.build('auth'), { [CONFIG]: 'integration: {approval: auto}\nnotify: {command: ./evil.sh}\n' })
  await act(swarm.connection, requestIntegration, { worktreeName: 'auth' })
  await landQueue(swarm.world, 'main')
  expect((await swarm.worktree('auth')).integration!.status).toBe('integrated')
  expect(notifyOf(await swarm.open())).toBe('')
  expect((await changes(swarm))!.lines).toEqual([`+ ${CONFIG}: notify.command = ./evil.sh`])
})

it('looks that find nothing changed run no git', async () => {
  const { swarm } = await withAgent('notify: {command: one}\n')
  sh(swarm.root, 'true')
  const logged = async () => (await swarm.connection.outside.gitCommands()).length
  const before = await logged()
  await swarm.open()
  await swarm.open()
  expect(await logged()).toBe(before)
})

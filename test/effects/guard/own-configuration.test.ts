import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { insertRequest } from '../../../src/db/requests.ts'
import { person } from '../../../src/domain/agent/actor.ts'
import { CONFIGURATION_HELD } from '../../../src/domain/integration/trusted-configuration.ts'
import { checkGuard } from '../../../src/effects/guard/guard.ts'
import { landQueue } from '../../../src/effects/integration/merge-queue.ts'
import { startSupervisor } from '../../../src/effects/loops/supervisor.ts'
import { settle, stop } from '../../../src/effects/runs/termination.ts'
import { initialise } from '../../../src/effects/starting/initialise.ts'
import type { World } from '../../../src/effects/world.ts'
import { deregisterAgent } from '../../../src/operations/agents/heartbeat.ts'
import { getPersona } from '../../../src/operations/agents/personas.ts'
import { registerAgent, terminateAgent } from '../../../src/operations/agents/spawn.ts'
import { readGuard } from '../../../src/operations/integration/configuration.ts'
import { approveIntegration } from '../../../src/operations/integration/decisions.ts'
import { trustConfiguration } from '../../../src/operations/integration/drift-answers.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { act, perform } from '../../../src/operations/perform/perform.ts'
import { answerRequest } from '../../../src/operations/requests/answers.ts'
import { requestPermission } from '../../../src/operations/requests/permissions.ts'
import { readBoard } from '../../../src/operations/screens/board.ts'
import { refusal } from '../../support/core.ts'
import { connectionOf } from '../../support/store.ts'
import { commit, openSwarm, read, sh, type Swarm, until, write } from '../swarm.ts'

const CONFIG = '.aiswarm/config.yaml'
const guard = async ({ core }: Swarm) => (await perform(core, readGuard, {}, person))!
const changes = async (swarm: Swarm) => (await guard(swarm)).changed
const waiting = async ({ core }: Swarm) =>
  (await perform(core, readBoard, {}, person)).attention.filter(({ kind }) => kind === 'configuration')
const accept = async (swarm: Swarm) =>
  perform(swarm.core, trustConfiguration, { hash: (await changes(swarm))!.hash }, person)
const notifyOf = ({ core }: World) => core.settings.notify.command

/** A repository in which an agent runs until a file in its folder ends it. */
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

describe('a changed configuration of aiswarm while an agent runs', () => {
  it('waits for a person with its difference, has no effect until then, and takes effect afterwards', async () => {
    const { swarm, end } = await withAgent('notify: {command: "true"}\n')
    write(swarm.root, { [CONFIG]: 'notify: {command: ./evil.sh}\non: {task.completed: ./worse.sh}\n' })
    expect(notifyOf(await swarm.open())).toBe('true')
    expect(swarm.warnings).toEqual([CONFIGURATION_HELD])
    expect((await changes(swarm))!.lines).toEqual([
      `- ${CONFIG}: notify.command = true`,
      `+ ${CONFIG}: notify.command = ./evil.sh`,
      `+ ${CONFIG}: on.task.completed = ./worse.sh`,
    ])
    expect(await waiting(swarm)).toMatchObject([
      { text: expect.stringContaining("aiswarm's own configuration changed while agents ran") as string },
    ])
    expect((await waiting(swarm))[0]!.evidence).toContain(`+ ${CONFIG}: notify.command = ./evil.sh`)
    await end()
    // It does not become a person's change because the agent has ended.
    expect(notifyOf(await swarm.open())).toBe('true')
    await accept(swarm)
    expect(await waiting(swarm)).toEqual([])
    expect(notifyOf(await swarm.open())).toBe('./evil.sh')
  })

  it('is reported when the run has ended, if no process has looked before', async () => {
    const swarm = await openSwarm({ config: 'notify: {command: "true"}\n' })
    expect((await swarm.carryOut(`echo 'notify: {command: ./evil.sh}' > ${CONFIG}`)).status).toBe('completed')
    expect((await waiting(swarm)).length).toBe(1)
    expect(notifyOf(await swarm.open())).toBe('true')
  })

  it('is reported when the agent is stopped', async () => {
    const { swarm, run } = await withAgent('notify: {command: "true"}\n')
    await perform(swarm.core, terminateAgent, { agentId: run.agentId, reason: 'enough' }, person)
    write(swarm.root, { [CONFIG]: 'notify: {command: ./evil.sh}\n' })
    expect(await stop(swarm.world, await swarm.run(run.agentId))).toBe(true)
    expect(notifyOf(await swarm.open())).toBe('true')
  })

  it.each(['the agent that registered itself is alive', 'it fell silent a moment ago', 'it deregistered a moment ago'])(
    'waits for a person if %s',
    async (when) => {
      const swarm = await openSwarm({ config: 'notify: {command: "true"}\n' })
      await perform(swarm.core, registerAgent, { id: 'ext', personaId: 'implementer' }, person)
      if (when.startsWith('it fell'))
        connectionOf(swarm.core.store).prepare("UPDATE agents SET status = 'offline' WHERE id = 'ext'").run()
      if (when.startsWith('it signed')) await perform(swarm.core, deregisterAgent, { agentId: 'ext' }, person)
      write(swarm.root, { [CONFIG]: 'notify: {command: ./evil.sh}\n' })
      expect(notifyOf(await swarm.open())).toBe('true')
      expect((await waiting(swarm)).length).toBe(1)
    },
  )

  it.each([
    [
      'by a process that left the run and writes a moment after its end',
      `setsid sh -c "touch left; sleep 0.2; echo 'notify: {command: ./evil.sh}' > ${CONFIG}; touch -d '2040-01-01' ${CONFIG}; touch planted" > /dev/null 2>&1 &`,
    ],
    [
      'by a process that left the run and deletes the file',
      `setsid sh -c "touch left; sleep 0.2; rm ${CONFIG}; touch planted" > /dev/null 2>&1 &`,
    ],
  ])('waits for a person if it is changed %s', async (_, command) => {
    const swarm = await openSwarm({ config: 'notify: {command: "true"}\n' })
    // Without its markers, because processes with them are ended with their run, which therefore waits until it has left.
    await swarm.carryOut(
      `${command.replace('setsid', 'setsid env -i PATH="$PATH"')} until [ -e left ]; do sleep 0.01; done`,
    )
    await until('the change', () => existsSync(swarm.path('planted')))
    expect(notifyOf(await swarm.open())).toBe('true')
    expect((await waiting(swarm)).length).toBe(1)
    swarm.minutesPass()
    expect(notifyOf(await swarm.open())).toBe('true')
  })

  it('that is reverted has no effect', async () => {
    const { swarm } = await withAgent('notify: {command: "true"}\n')
    write(swarm.root, { [CONFIG]: '' })
    expect(await checkGuard(swarm.world)).toBe(false)
    write(swarm.root, { [CONFIG]: 'notify: {command: "true"}\n' })
    await swarm.open()
    expect(await changes(swarm)).toBeNull()
  })

  it('that is broken does not prevent aiswarm from starting', async () => {
    const { swarm } = await withAgent('notify: {command: "true"}\n')
    write(swarm.root, { [CONFIG]: 'notify: [\n' })
    expect(notifyOf(await swarm.open())).toBe('true')
    expect((await changes(swarm))!.lines).toEqual([`- ${CONFIG}: notify: {command: "true"}`, `+ ${CONFIG}: notify: [`])
  })

  it('blocks integrations until it is accepted', async () => {
    const { swarm } = await withAgent()
    commit(await swarm.build('auth'), { 'a.txt': 'x\n' })
    write(swarm.root, { [CONFIG]: 'integration: {verify: ./evil.sh}\n' })
    const request = async () => (await act(swarm.connection, requestIntegration, { worktreeName: 'auth' })).integration!
    expect(await request()).toMatchObject({
      status: 'requested',
      problem: expect.stringContaining("aiswarm's own configuration") as string,
    })
    await accept(swarm)
    expect(await request()).toMatchObject({ status: 'ready' })
  })

  it('does not run the hooks that it names', async () => {
    const { swarm } = await withAgent()
    // The agent uses the main checkout directly.
    await swarm.build('aside')
    const supervisor = startSupervisor(swarm.world, { maxParallel: 2 })
    onTestFinished(() => supervisor.stop())
    await until('the supervisor', () => supervisor.standing().pid !== null)
    write(swarm.root, { [CONFIG]: 'on: {task.completed: echo told >> told.txt}\n' })
    await until('the change to be seen', () => changes(swarm))
    const { id } = await swarm.task({ command: 'true', targetWorktree: 'aside' })
    await until('the task', async () => (await swarm.show(id)).status === 'completed')
    expect(connectionOf(swarm.core.store).prepare('SELECT count(*) FROM hooks').pluck().get()).toBe(0)
    await accept(swarm)
    await until(
      'the hook to be seen',
      () => connectionOf(swarm.core.store).prepare('SELECT count(*) FROM hooks').pluck().get() === 1,
    )
    await swarm.task({ command: 'true', targetWorktree: 'aside' })
    await until('the hook', () => existsSync(join(swarm.root, 'told.txt')))
  })

  it('permits nothing new, even if a person adds a rule', async () => {
    const { swarm, run } = await withAgent()
    const actor = { kind: 'agent', id: run.agentId, role: 'worker', worktree: null } as const
    const ask = async (command: string) =>
      (await perform(swarm.core, requestPermission, { toolName: 'Bash', input: { command } }, actor)).status
    write(swarm.root, { [CONFIG]: 'agents: {personas: {implementer: {allow: [shell(rm)]}}}\n' })
    expect(await ask('rm -rf x')).toBe('open')
    const requestId = await swarm.core.store.write((db) =>
      insertRequest(db, {
        kind: 'permission',
        agent_id: run.agentId,
        tool: 'Bash',
        subject: 'npm test',
        rule: 'shell(npm test)',
        asked_at: swarm.core.clock(),
      }),
    )
    await act(swarm.connection, answerRequest, { requestId, verdict: 'always' })
    expect(read(swarm.root, CONFIG)).toContain('shell(npm test)')
    expect([await ask('rm -rf x'), await ask('npm test')]).toEqual(['open', 'allowed'])
    await checkGuard(swarm.world)
    expect((await changes(swarm))!.lines.some((line) => line.includes('shell(rm)'))).toBe(true)
    await accept(swarm)
    expect(await ask('rm -rf x')).toBe('allowed')
  })

  it('does not turn a worker into a planner', async () => {
    const { swarm } = await withAgent('', { '.aiswarm/personas/painter.md': 'You paint.\n' })
    const painter = async ({ core }: World) => perform(core, getPersona, { personaId: 'painter' }, person)
    write(swarm.root, { '.aiswarm/personas/painter.md': '---\nrole: planner\n---\nYou paint.\n' })
    expect(await painter(await swarm.open())).toMatchObject({ role: 'worker' })
    expect((await changes(swarm))!.lines).toEqual(
      ['---', 'role: planner', '---'].map((line) => `+ .aiswarm/personas/painter.md: ${line}`),
    )
    await accept(swarm)
    expect(await painter(await swarm.open())).toMatchObject({ role: 'planner' })
  })
})

describe('aiswarm asks no person about', () => {
  it("a person's edit while no agent runs", async () => {
    const swarm = await openSwarm({ config: 'notify: {command: one}\n' })
    await swarm.carryOut('true')
    swarm.minutesPass()
    write(swarm.root, { [CONFIG]: 'notify: {command: two}\n', '.aiswarm/personas/painter.md': 'You paint.' })
    expect(notifyOf(await swarm.open())).toBe('two')
    await swarm.carryOut('true')
    expect([await changes(swarm), swarm.warnings]).toEqual([null, []])
  })

  it('an edit that breaks the configuration, which is refused as usual', async () => {
    const swarm = await openSwarm()
    write(swarm.root, { [CONFIG]: 'notify: [\n' })
    expect((await refusal(swarm.open())).code).toBe('config_invalid')
    write(swarm.root, { [CONFIG]: 'notify: {command: two}\n' })
    expect(notifyOf(await swarm.open())).toBe('two')
  })

  it('a rule that a person wants to remember', async () => {
    const { swarm, run } = await withAgent('# mine\n')
    const requestId = await swarm.core.store.write((db) =>
      insertRequest(db, {
        kind: 'permission',
        agent_id: run.agentId,
        tool: 'Bash',
        subject: 'npm test',
        rule: 'shell(npm test)',
        asked_at: swarm.core.clock(),
      }),
    )
    await act(swarm.connection, answerRequest, { requestId, verdict: 'always' })
    expect([await checkGuard(swarm.world), await changes(swarm)]).toEqual([true, null])
  })

  it('the files of aiswarm init', async () => {
    const { swarm, end } = await withAgent()
    await end()
    swarm.minutesPass()
    rmSync(swarm.path(CONFIG), { force: true })
    await initialise(swarm.root)
    expect(existsSync(swarm.path(CONFIG))).toBe(true)
    expect(await checkGuard(swarm.world)).toBe(true)
  })

  it('the configuration in the worktree of an agent, or in an approved merge', async () => {
    const { swarm } = await withAgent('', { [CONFIG]: 'notify: {command: one}\n' })
    const folder = await swarm.build('auth')
    commit(folder, { [CONFIG]: '# better\nnotify: {command: two}\n' })
    const { status, targetOid, branchOid, mergeOid } = (
      await act(swarm.connection, requestIntegration, { worktreeName: 'auth' })
    ).integration!
    expect([status, await changes(swarm)]).toEqual(['ready', null])
    await perform(
      swarm.core,
      approveIntegration,
      { worktreeName: 'auth', targetOid: targetOid!, branchOid: branchOid!, mergeOid: mergeOid! },
      person,
    )
    await landQueue(swarm.world, 'main')
    expect(read(swarm.root, CONFIG)).toContain('command: two')
    expect([await checkGuard(swarm.world), await changes(swarm)]).toEqual([true, null])
    expect(notifyOf(await swarm.open())).toBe('two')
  })

  it('a file that an older aiswarm did not record', async () => {
    const { swarm } = await withAgent('notify: {command: one}\n')
    const connection = connectionOf(swarm.core.store)
    const entries = Object.fromEntries(
      Object.entries((await guard(swarm)).entries).filter(([name]) => !name.startsWith('.aiswarm/')),
    )
    connection.prepare("UPDATE repository_guard SET entries = ?, hash = 'of an older one'").run(JSON.stringify(entries))
    expect(notifyOf(await swarm.open())).toBe('one')
    expect([await checkGuard(swarm.world), await changes(swarm)]).toEqual([true, null])
  })
})

it('a configuration that was merged unread waits for a person, even after the last agent has ended', async () => {
  const swarm = await openSwarm({ files: { [CONFIG]: 'integration: {approval: auto}\n' } })
  commit(await swarm.build('auth'), { [CONFIG]: 'integration: {approval: auto}\nnotify: {command: ./evil.sh}\n' })
  await act(swarm.connection, requestIntegration, { worktreeName: 'auth' })
  await landQueue(swarm.world, 'main')
  expect((await swarm.worktree('auth')).integration!.status).toBe('integrated')
  expect(notifyOf(await swarm.open())).toBe('')
  expect((await changes(swarm))!.lines).toEqual([`+ ${CONFIG}: notify.command = ./evil.sh`])
})

it('a check without changes runs no git', async () => {
  const { swarm } = await withAgent('notify: {command: one}\n')
  sh(swarm.root, 'true')
  const logged = async () => (await swarm.connection.outside.gitCommands()).length
  const before = await logged()
  await swarm.open()
  await swarm.open()
  expect(await logged()).toBe(before)
})

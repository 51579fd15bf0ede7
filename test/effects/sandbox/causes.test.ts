import { beforeEach, describe, expect, it, vi } from 'vitest'
import { dispatchTasks } from '../../../src/effects/loops/dispatcher.ts'
import { outputPath } from '../../../src/effects/files/paths.ts'
import { machine } from '../../../src/effects/sandbox/machine.ts'
import { spawnAgent } from '../../../src/operations/agents/spawn.ts'
import { act, perform } from '../../../src/operations/perform/perform.ts'
import { readHeld } from '../../../src/operations/tasks/held-tasks.ts'
import { refusal } from '../../support/core.ts'
import { needs } from '../../support/needs.ts'
import { environmentOf } from '../../support/processes.ts'
import { git, openSwarm, read, until } from '../swarm.ts'

// An agent in a sandbox causes only what is as confined as itself.

beforeEach(async (context) => {
  needs(context, 'bubblewrap' in (await machine()), 'nothing can be confined')
  vi.stubEnv('AISWARM_SANDBOX', 'auto')
  return () => vi.unstubAllEnvs()
})

/** `mine` is a kind of one's own, which starts without a sandbox, and so does every tester. */
const config = `
agents:
  personas: {tester: {kind: command, sandbox: off}}
  kinds: {mine: {command: [sh, -c, 'env > env-of-worker']}}
`

const opened = async () => {
  const swarm = await openSwarm({ config })
  await swarm.build('auth')
  const plan = async (script: string): Promise<string> => {
    const task = await swarm.carryOut(`exec 2>&1; ${script}`, { targetWorktree: 'auth', personaId: 'planner' })
    return read(outputPath(swarm.root, task.attempts.at(-1)!.agentId))
  }
  /** A planner that stays at work, and a worktree for its workers. */
  const alive = async (): Promise<void> => {
    await swarm.build('desk')
    await swarm.task({ command: 'sleep 600', targetWorktree: 'auth', personaId: 'planner' })
    await swarm.begin()
  }
  return { swarm, plan, alive }
}

const planner = { kind: 'agent', id: 'planner-1', role: 'planner', worktree: 'auth' } as const

describe('an agent in a sandbox', () => {
  it('starts nothing that runs without one: it is refused, or waits for a person and says why', async () => {
    const { swarm, plan } = await opened()
    const said = await plan(
      'aiswarm agent spawn --persona implementer --kind mine --worktree auth; aiswarm agent spawn --persona tester --worktree auth; aiswarm task add freer --persona implementer --kind mine --worktree auth; aiswarm agent spawn --persona implementer --task 2',
    )
    const why = 'planner-1 is in a sandbox, and an agent of kind mine for implementer would be in none'
    expect(said.match(/Only a person may start it/g)).toHaveLength(2)
    expect(said).toContain('an agent of kind command for tester would be in none (the configuration says sandbox: off)')
    expect(said).toContain(`Task 2 cannot start now: ${why}`)
    expect((await dispatchTasks(swarm.world, 10)).started).toEqual([])
    expect(await perform(swarm.core, readHeld, {}, swarm.connection.actor)).toEqual([
      { taskId: 2, why: expect.stringContaining(`${why} (aiswarm does not know`) as string },
    ])
    await act(swarm.connection, spawnAgent, { personaId: 'implementer', taskId: 2 })
    expect(await swarm.show(2)).toMatchObject({ status: 'claimed' })
  })

  it('starts nothing that has lost its sandbox since it was asked for', async () => {
    const { swarm, alive } = await opened()
    await alive()
    const { unconfined: _, ...before } = swarm.core
    const spawn = { personaId: 'implementer', kind: 'mine', assignedWorktree: 'desk' }
    expect((await refusal(perform(swarm.core, spawnAgent, spawn, planner))).code).toBe('not_allowed')
    await swarm.task({ targetWorktree: 'desk' })
    const { id } = await perform(before, spawnAgent, { ...spawn, taskId: 2 }, planner)
    await swarm.launched(id).catch(() => {})
    expect((await swarm.show(2)).attempts.at(-1)).toMatchObject({
      error: expect.stringContaining('An agent in a sandbox caused this start') as string,
    })
  })

  it('gives its workers variables of a short list, which no process around them has', async () => {
    const { swarm, alive } = await opened()
    await alive()
    for (const name of [
      'NODE_OPTIONS',
      'GIT_DIR',
      'AISWARM_ROOT',
      'BASH_ENV',
      'PYTHONPATH',
      'RUBYOPT',
      'EDITOR',
      'HTTP_PROXY',
    ])
      expect(
        (
          await refusal(
            perform(
              swarm.core,
              spawnAgent,
              { personaId: 'implementer', assignedWorktree: 'desk', environment: { [name]: 'x' } },
              planner,
            ),
          )
        ).message,
        name,
      ).toContain(`may not set the variable ${name}`)
    const task = await swarm.task({
      targetWorktree: 'desk',
      command: 'echo "given $FEATURE"; sleep 600',
    })
    const { id } = await perform(
      swarm.core,
      spawnAgent,
      { personaId: 'implementer', taskId: task.id, environment: { FEATURE: 'login' } },
      planner,
    )
    const run = await swarm.launched(id)
    await until('its output', () => read(outputPath(swarm.root, id)).includes('given login'))
    // The shim and the host of the run are outside.
    expect(environmentOf(run.identity!.pid)).not.toHaveProperty('FEATURE')
  })

  it('gets a new branch below a prefix for a worktree', async () => {
    const { swarm, plan } = await opened()
    git(swarm.root, 'branch', 'agents/taken')
    git(swarm.root, 'branch', 'release')
    const said = await plan(
      'for name in main release origin/main agents/new; do aiswarm worktree create "w-${name##*/}-${#name}" --branch "$name"; done; aiswarm worktree create taken --branch taken; echo "code $?"; aiswarm worktree create taken --branch agents/taken; echo "code $?"',
    )
    expect(said.match(/is on agents\/\S+/g)).toEqual([
      'is on agents/main',
      'is on agents/release',
      'is on agents/origin/main',
      'is on agents/new',
    ])
    expect(said.match(/Branch agents\/taken exists already, and an agent gets a new one/g)).toHaveLength(2)
    expect(said.match(/code 1/g)).toHaveLength(2)
  })
})

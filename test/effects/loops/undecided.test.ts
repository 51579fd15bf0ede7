import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { person, system } from '../../../src/domain/agent/actor.ts'
import { LOCAL } from '../../../src/domain/host/host.ts'
import { isUndecided } from '../../../src/domain/rules/refusal.ts'
import { restoreWorktree } from '../../../src/effects/archive/restorer.ts'
import { outputPath } from '../../../src/effects/files/paths.ts'
import { moveWork } from '../../../src/effects/hosts/code-exchange.ts'
import { wishesOf } from '../../../src/effects/wishes.ts'
import { launch } from '../../../src/effects/runs/launcher.ts'
import { settle } from '../../../src/effects/runs/termination.ts'
import { readLastReports } from '../../../src/effects/session-files/reports.ts'
import { buildWorktree } from '../../../src/effects/worktrees/builder.ts'
import { processesMarked } from '../../../src/effects/processes/table.ts'
import { registerAgent } from '../../../src/operations/agents/spawn.ts'
import { joinHost, makeJoinCode } from '../../../src/operations/hosts/membership.ts'
import { setRemote } from '../../../src/operations/hosts/remote.ts'
import { takeHost } from '../../../src/operations/hosts/worker.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import { claimTask } from '../../../src/operations/tasks/claims.ts'
import { getTaskLogs } from '../../../src/operations/tasks/detail.ts'
import { act, perform } from '../../../src/operations/perform/perform.ts'
import { createWorktree, createWorktreeOn } from '../../../src/operations/worktrees/create.ts'
import { readMove, requestMove } from '../../../src/operations/worktrees/moves.ts'
import { restoreWorktree as wishBack } from '../../../src/operations/worktrees/restore.ts'
import { withAbsence } from '../../support/unreachable-store.ts'
import { B } from '../../support/board-of-hosts.ts'
import { temporaryFolder } from '../../support/core.ts'
import { isOfDay } from '../../support/dose.ts'
import { connectionOf } from '../../support/store.ts'
import { discard } from '../archived.ts'
import { git, openSwarm, read, sh, type Swarm, write } from '../swarm.ts'

/**
 * Does a piece of work once for each of its accesses to the board, or one in so many each day: that access is refused, and
 * the work is done again.
 * `prepare` makes the work and returns it, with what must hold in between and at the end.
 */
const despiteAbsence = async (
  { swarm, world, refuse, wasAway }: { swarm: Swarm } & ReturnType<typeof withAbsence<Swarm['world']>>,
  oneIn: number,
  prepare: (nth: number) => Promise<{
    readonly work: (world: Swarm['world']) => Promise<unknown>
    readonly between: () => Promise<void>
    readonly after: () => Promise<void>
  }>,
): Promise<number> => {
  for (let nth = 1; ; nth++) {
    if (!isOfDay(nth, oneIn)) continue
    const { work, between, after } = await prepare(nth)
    refuse(nth)
    const refused = await work(world).then(
      () => undefined,
      (error: unknown) => error,
    )
    const was = wasAway()
    refuse(Infinity)
    if (was) {
      expect(refused === undefined || isUndecided(refused), `access ${nth}: ${String(refused)}`).toBe(true)
      await between()
      // The term of a lease whose release was refused has passed.
      connectionOf(swarm.core.store).exec('DELETE FROM leases')
      await work(world)
    } else expect(refused).toBe(undefined)
    await after()
    if (!was) return nth - 1
  }
}

const open = async (config = '') => {
  const swarm = await openSwarm({ config })
  return { swarm, ...withAbsence(swarm.world) }
}

it('a worktree is built although the board was away for a moment, and keeps its tasks', async () => {
  const opened = await open('worktrees: {setup: touch made}\n')
  const { swarm } = opened
  const accesses = await despiteAbsence(opened, 1, async (nth) => {
    const name = `w${nth}`
    await perform(swarm.core, createWorktree, { name, branchName: `b${nth}` }, person)
    const { id } = await swarm.task({ command: 'true', targetWorktree: name })
    const work = (await wishesOf(swarm.world)).worktrees.find((one) => one.name === name)!
    return {
      work: (world) => buildWorktree(world, work),
      between: async () => {
        expect(['building', 'ready'], `access ${nth}`).toContain((await swarm.worktree(name)).folder)
        expect((await swarm.show(id)).status).toBe('pending')
      },
      after: async () => {
        expect((await swarm.worktree(name)).folder).toBe('ready')
        expect(read(work.path, 'made')).toBe('')
      },
    }
  })
  expect(accesses).toBeGreaterThan(8)
})

it('a worktree is restored although the board was away for a moment', async () => {
  const opened = await open()
  const { swarm } = opened
  const folder = await swarm.build('auth')
  write(folder, { kept: 'kept\n' })
  const accesses = await despiteAbsence(opened, 2, async (nth) => {
    await discard(swarm)
    await perform(swarm.core, wishBack, { worktreeName: 'auth' }, person)
    const work = (await wishesOf(swarm.world)).restores[0]!
    return {
      work: (world) => restoreWorktree(world, work),
      between: async () => {
        const { restores } = await wishesOf(swarm.world)
        if (restores.length === 0) expect((await swarm.worktree('auth')).folder, `access ${nth}`).toBe('ready')
      },
      after: async () => {
        expect(await swarm.worktree('auth')).toMatchObject({ status: 'active', folder: 'ready' })
        expect(read(folder, 'kept')).toBe('kept\n')
      },
    }
  })
  expect(accesses).toBeGreaterThan(2)
})

it('a command is started once although the board was away for a moment', async () => {
  const opened = await open()
  const { swarm } = opened
  await despiteAbsence(opened, 1, async (nth) => {
    await swarm.build(`w${nth}`)
    const { id } = await swarm.task({ command: 'echo started; sleep 60', targetWorktree: `w${nth}` })
    const run = await swarm.run(await swarm.dispatched())
    return {
      work: (world) => launch(world, run),
      between: async () => {
        expect(['wanted', 'started'], `access ${nth}`).toContain((await swarm.agent(run.agentId)).process)
        expect(await swarm.show(id)).toMatchObject({ attempt: 1, attempts: [{ outcome: null }] })
      },
      after: async () => {
        expect(await swarm.show(id)).toMatchObject({ status: 'in_progress', attempt: 1 })
        await expect.poll(() => readFileSync(outputPath(swarm.root, run.agentId), 'utf8')).toBe('started\n')
        await act(swarm.connection, cancelTask, { taskId: id, reason: 'seen' })
        expect(processesMarked({ AISWARM_ROOT: swarm.root })).toEqual([])
      },
    }
  })
})

it('a command that succeeded has done its task although the board was away for a moment', async () => {
  const opened = await open()
  const { swarm } = opened
  await despiteAbsence(opened, 3, async (nth) => {
    const folder = await swarm.build(`w${nth}`)
    const { id } = await swarm.task({ command: 'echo x > made', targetWorktree: `w${nth}` })
    const run = await swarm.begin()
    await swarm.ended(run)
    return {
      work: async (world) =>
        (await swarm.run(run.agentId))?.process === 'started' ? settle(world, run, 'ended') : undefined,
      between: async () =>
        expect(['in_progress', 'completed'], `access ${nth}`).toContain((await swarm.show(id)).status),
      after: async () => {
        expect(await swarm.show(id)).toMatchObject({ status: 'completed', retryCount: 0 })
        expect(git(folder, 'status', '--porcelain')).toBe('')
      },
    }
  })
})

it('a worktree moves to another host although the board was away for a moment, and the board names no problem', async () => {
  const { swarm } = await open()
  const core = { ...swarm.core, host: LOCAL }
  const absence = withAbsence({ ...swarm.world, core })
  const { secret } = await perform(core, makeJoinCode, {}, person)
  await perform(core, joinHost, { secret, hostId: B, name: 'b', machine: 'm', root: '/b/shop' }, system())
  await perform(core, setRemote, { url: 'git@git.example.net:shop' }, person)
  const url = join(temporaryFolder(), 'shop.git')
  sh(swarm.root, `git clone --quiet --bare . "${url}"`)
  const beat = async (): Promise<void> => {
    for (const [hostId, root] of [
      [LOCAL, swarm.root],
      [B, '/b/shop'],
    ] as const) {
      const worker = { hostId, holder: `of ${hostId}`, pid: 1, ttl: 600_000, root, program: '1', kinds: ['command'] }
      await perform(core, takeHost, worker, system())
    }
  }
  const accesses = await despiteAbsence({ swarm, ...absence }, 1, async (nth) => {
    const name = `w${nth}`
    await beat()
    await act(swarm.connection, createWorktreeOn, { name, branchName: `b${nth}`, host: LOCAL })
    await perform(core, requestMove, { worktreeName: name, host: 'b' }, person)
    const work = (await wishesOf({ ...swarm.world, core })).worktrees.find((one) => one.name === name)!
    const moved = () => perform(core, readMove, { worktreeName: name }, person)
    return {
      work: async (world) => {
        await beat()
        await moveWork(world, { remote: { url, refs: 'own' }, snapshots: false }, work)
      },
      between: async () => expect(await moved(), `access ${nth}`).toMatchObject({ problem: null }),
      after: async () => {
        expect(await moved()).toMatchObject({ problem: null, successor: `${name}-2` })
        expect(git(url, 'rev-parse', `refs/aiswarm/work/${name}`)).toBe(git(swarm.root, 'rev-parse', work.branch))
      },
    }
  })
  expect(accesses).toBeGreaterThan(1)
})

it('a result in a file is taken although the board was away for a moment, and no problem of the file is recorded', async () => {
  const opened = await open()
  const { swarm } = opened
  const accesses = await despiteAbsence(opened, 1, async (nth) => {
    const { id } = await swarm.task({})
    const agentId = `backend-${nth}`
    await perform(swarm.core, registerAgent, { id: agentId, personaId: 'implementer' }, person)
    await perform(swarm.core, claimTask, { taskId: id, agentId }, person)
    write(join(swarm.root, swarm.world.memory.basePath), {
      [`result-${agentId}.md`]: `# Result: ${agentId}\n## Task: task-${id}\n## Status: completed\n\n## Summary\nIt is there.\n`,
    })
    const messages = async () =>
      (await perform(swarm.core, getTaskLogs, { taskId: id }, person)).map(({ message }) => message)
    const hasNoProblem = async (): Promise<void> =>
      expect((await messages()).join('\n'), `access ${nth}`).not.toContain('does not answer')
    return {
      work: (world) => readLastReports(world, agentId),
      between: hasNoProblem,
      after: async () => {
        await hasNoProblem()
        expect(await swarm.show(id)).toMatchObject({ status: 'completed' })
      },
    }
  })
  expect(accesses).toBeGreaterThan(1)
})

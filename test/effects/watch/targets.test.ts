import { describe, expect, it, onTestFinished } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { startSupervisor } from '../../../src/effects/loops/supervisor.ts'
import { moveTarget } from '../../../src/effects/integration/mover.ts'
import { settle } from '../../../src/effects/runs/termination.ts'
import { noticeTargets } from '../../../src/effects/watch/targets.ts'
import { acceptTarget, putBackTarget } from '../../../src/operations/integration/drift-answers.ts'
import { approveIntegration, undoIntegration } from '../../../src/operations/integration/decisions.ts'
import { act, perform } from '../../../src/operations/perform/perform.ts'
import { readBoard } from '../../../src/operations/screens/board.ts'
import { readWatched } from '../../../src/operations/integration/drift.ts'
import { registerAgent } from '../../../src/operations/agents/spawn.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { refusal } from '../../support/core.ts'
import { commit, git, openSwarm, read, sh, type Swarm, until, write } from '../swarm.ts'
import { connectionOf } from '../../support/store.ts'

const oid = ({ root }: Swarm, revision = 'main') => git(root, 'rev-parse', revision)
const items = async ({ core }: Swarm) =>
  (await perform(core, readBoard, {}, person)).attention.filter(({ kind }) => kind === 'moved')
const moves = async ({ core }: Swarm) => (await perform(core, readWatched, {}, person)).moves
const look = ({ world }: Swarm) => noticeTargets(world)

/** An agent that works in a worktree until its file says that it may end. */
const withAgent = async () => {
  const swarm = await openSwarm()
  await swarm.build('auth')
  await swarm.task({ command: 'until [ -e done ]; do sleep 0.01; done', targetWorktree: 'auth' })
  const run = await swarm.begin()
  const end = async () => {
    write(swarm.root, { '../auth/done': '' })
    await swarm.ended(run)
    await settle(swarm.world, run, 'ended')
  }
  return { swarm, run, end }
}

/** Like the agent of the reproduction: a commit on the branch, without a checkout. */
const sneak = (root: string, message = 'Agent', tree = 'main^{tree}'): string =>
  sh(root, `git update-ref refs/heads/main "$(git commit-tree -p main -m ${message} '${tree}')"; git rev-parse main`)

const code = async (work: Promise<unknown>): Promise<string> => (await refusal(work)).code

describe('a target that something moves while an agent runs', () => {
  it('waits for a person with both commits, those in between and the agents, once, for the next process too', async () => {
    const { swarm, run, end } = await withAgent()
    const from = oid(swarm)
    const to = sneak(swarm.root)
    await look(swarm)
    const before = await items(swarm)
    expect(before).toMatchObject([
      {
        target: 'main',
        text: `main moved from ${from.slice(0, 8)} to ${to.slice(0, 8)} while ${run.agentId} ran, and aiswarm did not move it`,
        evidence: `1 commit added; newest: ${to.slice(0, 8)} Agent (Ada)`,
        command: 'aiswarm target accept main (or target put-back main; look first: target show main)',
      },
    ])
    expect(await moves(swarm)).toMatchObject([
      { target: 'main', from, to, agents: [run.agentId], commits: { added: 1, dropped: 0 } },
    ])
    await end()
    await noticeTargets(await swarm.open())
    expect(await items(swarm)).toEqual(before)
  })

  it('is noticed by the supervisor when it is moved, and at once when the run has ended', async () => {
    const swarm = await openSwarm()
    await swarm.build('auth')
    const supervisor = startSupervisor(swarm.world, { maxParallel: 2 })
    onTestFinished(() => supervisor.stop())
    const from = oid(swarm)
    await swarm.task({
      command: `cd "$AISWARM_ROOT" && git update-ref refs/heads/main "$(git -c user.name=A -c user.email=a@b commit-tree -p main -m Agent main^{tree})"`,
      targetWorktree: 'auth',
    })
    await until('the item', async () => (await items(swarm)).length === 1)
    expect(await moves(swarm)).toMatchObject([{ from, to: oid(swarm), agents: ['implementer-1'] }])
  })

  it.each([
    ['by a commit in the main checkout', 'echo x > x; git add x; git commit -qm Agent', { added: 1, dropped: 0 }],
    ['back to an earlier commit', 'git reset -q --hard HEAD~1', { added: 0, dropped: 1 }],
    ['by an amended commit', 'git commit -q --amend -m Other', { added: 1, dropped: 1 }],
    ['and packed afterwards', 'git commit -q --allow-empty -m Agent; git pack-refs --all', { added: 1, dropped: 0 }],
    ['away', 'git checkout -q --detach; git branch -D main', { added: 0, dropped: 0 }],
  ])('%s is reported with its consequences', async (_, script, commits) => {
    const swarm = await openSwarm()
    commit(swarm.root, { a: 'a\n' }, 'Second')
    await swarm.build('auth')
    await swarm.carryOut(
      `cd "$AISWARM_ROOT" && (${script.replaceAll('git commit', 'git -c user.name=A -c user.email=a@b commit')})`,
      { targetWorktree: 'auth' },
    )
    expect(await moves(swarm)).toMatchObject([{ commits }])
  })

  it.each(['an agent that registered itself', 'a run that has ended within the minute'])(
    'is attributed to %s',
    async (who) => {
      const swarm = await openSwarm()
      await swarm.build('auth')
      if (who.startsWith('an agent'))
        await perform(swarm.core, registerAgent, { id: 'ext', personaId: 'implementer' }, person)
      else await swarm.carryOut('true', { targetWorktree: 'auth' })
      await look(swarm)
      sneak(swarm.root)
      await look(swarm)
      expect((await items(swarm)).length).toBe(1)
    },
  )

  it('is attributed to a run that ended long ago if the reflog says that the run moved the branch', async () => {
    const swarm = await openSwarm()
    await swarm.build('auth')
    await swarm.carryOut('true', { targetWorktree: 'auth' })
    connectionOf(swarm.core.store)
      .prepare("UPDATE agent_runs SET started_at = '2026-01-01T00:00:00.000Z', ended_at = '2026-01-01T00:01:00.000Z'")
      .run()
    sh(swarm.root, 'GIT_COMMITTER_DATE=2026-01-01T00:00:30Z git commit -q --allow-empty -m Agent')
    await look(swarm)
    expect(await moves(swarm)).toMatchObject([{ agents: ['implementer-1'] }])
  })

  it('and moves again is one item with the last commit, and accepting the earlier one is refused', async () => {
    const { swarm } = await withAgent()
    const from = oid(swarm)
    const first = sneak(swarm.root)
    await look(swarm)
    const second = sneak(swarm.root)
    await look(swarm)
    expect(await moves(swarm)).toMatchObject([{ from, to: second, commits: { added: 2 } }])
    expect(await code(perform(swarm.core, acceptTarget, { target: 'main', to: first }, person))).toBe('approval_void')
    expect(await code(perform(swarm.core, putBackTarget, { target: 'main', to: first }, person))).toBe('approval_void')
    expect((await items(swarm)).length).toBe(1)
  })

  it('and moves back has no effect', async () => {
    const { swarm } = await withAgent()
    const from = oid(swarm)
    sneak(swarm.root)
    await look(swarm)
    git(swarm.root, 'update-ref', 'refs/heads/main', from)
    await look(swarm)
    expect(await items(swarm)).toEqual([])
  })

  it('is accepted only by a person, and is trusted from then on', async () => {
    const { swarm } = await withAgent()
    const to = sneak(swarm.root)
    await look(swarm)
    for (const actor of [
      { kind: 'agent', id: 'implementer-1', role: 'planner', worktree: null },
      { kind: 'client', id: 'human', role: 'person' },
    ] as const) {
      expect(await code(perform(swarm.core, acceptTarget, { target: 'main', to }, actor))).toBe('not_allowed')
      expect(await code(perform(swarm.core, putBackTarget, { target: 'main', to }, actor))).toBe('not_allowed')
    }
    await perform(swarm.core, acceptTarget, { target: 'main', to }, person)
    await look(swarm)
    expect(await items(swarm)).toEqual([])
    expect((await perform(swarm.core, readWatched, {}, person)).targets).toEqual([
      { target: 'main', known: to, seen: to },
    ])
  })
})

describe('a target causes no inbox item', () => {
  it('if a person moves it while no agent runs and none has ended within the minute', async () => {
    const { swarm, end } = await withAgent()
    await end()
    swarm.minutesPass()
    const to = commit(swarm.root, { mine: 'x\n' })
    await look(swarm)
    expect(await items(swarm)).toEqual([])
    expect((await perform(swarm.core, readWatched, {}, person)).targets).toEqual([
      { target: 'main', known: to, seen: to },
    ])
  })

  it('if a person has moved it before the first agent starts', async () => {
    const swarm = await openSwarm()
    await swarm.build('auth')
    await look(swarm)
    commit(swarm.root, { mine: 'x\n' })
    await swarm.carryOut('true', { targetWorktree: 'auth' })
    expect(await items(swarm)).toEqual([])
  })

  it('if an integration and its undo are merged while an agent runs, under a supervisor', async () => {
    const swarm = await openSwarm()
    commit(await swarm.build('pay'), { 'pay.txt': 'x\n' })
    await swarm.build('auth')
    const supervisor = startSupervisor(swarm.world, { maxParallel: 2 })
    onTestFinished(() => supervisor.stop())
    await swarm.task({ command: 'until [ -e done ]; do sleep 0.01; done', targetWorktree: 'auth' })
    await until('the agent', async () => (await swarm.runs()).some(({ process }) => process === 'started'))
    const land = async (name: string) => {
      const { integration } = await act(swarm.connection, requestIntegration, { worktreeName: name })
      const { targetOid, branchOid, mergeOid } = integration!
      await act(swarm.connection, approveIntegration, {
        worktreeName: name,
        targetOid: targetOid!,
        branchOid: branchOid!,
        mergeOid: mergeOid!,
      })
      expect((await swarm.worktree(name)).status).toBe('integrated')
      await look(swarm)
      expect((await perform(swarm.core, readWatched, {}, person)).targets).toEqual([
        { target: 'main', known: oid(swarm), seen: oid(swarm) },
      ])
    }
    await land('pay')
    await land((await act(swarm.connection, undoIntegration, { worktreeName: 'pay' })).name)
    expect(await items(swarm)).toEqual([])
    expect((await perform(swarm.core, readBoard, {}, person)).attention).toEqual([])
  })
})

describe('the restoration of a moved target', () => {
  const putBack = async (swarm: Swarm) =>
    act(swarm.connection, putBackTarget, { target: 'main', to: (await moves(swarm))[0]!.to })
  const archived = ({ root }: Swarm) =>
    git(root, 'for-each-ref', '--format=%(objectname)', 'refs/aiswarm/archive/target.main').split('\n').filter(Boolean)

  it('archives the commits of the move, and updates its checkout and its untracked files', async () => {
    const { swarm } = await withAgent()
    const from = oid(swarm)
    const to = commit(swarm.root, { 'README.md': 'evil\n', added: 'x\n' }, 'Agent')
    write(swarm.root, { notes: 'mine\n' })
    await look(swarm)
    expect(await putBack(swarm)).toEqual({ target: 'main', at: from, done: true })
    expect([
      oid(swarm),
      read(swarm.root, 'README.md'),
      git(swarm.root, 'status', '--porcelain'),
      archived(swarm),
    ]).toEqual([from, 'a shop\n', '?? notes', [to]])
    expect(git(swarm.root, 'reflog', '-1', '--format=%gs', 'main')).toBe('aiswarm: put main back')
    await look(swarm)
    expect(await items(swarm)).toEqual([])
  })

  it('does not change the files if only the branch was moved', async () => {
    const { swarm } = await withAgent()
    const from = oid(swarm)
    git(swarm.root, 'checkout', '--quiet', '-b', 'aside')
    const tree = sh(
      swarm.root,
      'git rm -q README.md; git commit -qm Gone; git rev-parse HEAD^{tree}; git checkout -q main',
    )
    const to = sneak(swarm.root, 'Agent', tree.split('\n')[0])
    await look(swarm)
    await putBack(swarm)
    expect([
      oid(swarm),
      read(swarm.root, 'README.md'),
      git(swarm.root, 'status', '--porcelain'),
      archived(swarm),
    ]).toEqual([from, 'a shop\n', '', [to]])
  })

  it('needs no archive if the branch was only moved back, and creates a deleted branch again', async () => {
    const { swarm } = await withAgent()
    const first = oid(swarm)
    const second = commit(swarm.root, { a: 'a\n' })
    await look(swarm)
    await perform(swarm.core, acceptTarget, { target: 'main', to: second }, person)
    git(swarm.root, 'reset', '--quiet', '--hard', first)
    await look(swarm)
    await putBack(swarm)
    expect([oid(swarm), read(swarm.root, 'a'), archived(swarm)]).toEqual([second, 'a\n', []])
    sh(swarm.root, 'git checkout -q --detach; git branch -qD main')
    await look(swarm)
    expect(await items(swarm)).toMatchObject([
      { text: expect.stringContaining(`main was deleted at ${second.slice(0, 8)}`) as string },
    ])
    await putBack(swarm)
    expect([oid(swarm), await items(swarm)]).toEqual([second, []])
  })

  it('is refused if its checkout has other changes, which are kept, and says so in the inbox', async () => {
    const { swarm } = await withAgent()
    const to = commit(swarm.root, { added: 'x\n' }, 'Agent')
    write(swarm.root, { 'README.md': 'mine\n' })
    await look(swarm)
    expect((await refusal(putBack(swarm))).message).toBe(
      `${swarm.root} has other changes (README.md), so main was not put back. Commit, stash or undo them, then put it back again.`,
    )
    expect([oid(swarm), read(swarm.root, 'README.md')]).toEqual([to, 'mine\n'])
    expect(await items(swarm)).toMatchObject([
      { evidence: expect.stringContaining('has other changes (README.md)') as string },
    ])
    write(swarm.root, { 'README.md': 'a shop\n' })
    await putBack(swarm)
    expect(await items(swarm)).toEqual([])
  })

  it('is refused if the branch has moved since then, even unnoticed', async () => {
    const { swarm } = await withAgent()
    sneak(swarm.root)
    await look(swarm)
    const later = sneak(swarm.root, 'Later')
    expect((await refusal(putBack(swarm))).message).toContain('main has moved again')
    expect(oid(swarm)).toBe(later)
    await look(swarm)
    expect(await moves(swarm)).toMatchObject([{ to: later, putBackAt: null }])
  })

  it('is refused if a person has committed on top of the move', async () => {
    const { swarm, end } = await withAgent()
    sneak(swarm.root)
    await look(swarm)
    await end()
    swarm.minutesPass()
    const mine = sneak(swarm.root, 'Mine')
    await look(swarm)
    expect((await refusal(putBack(swarm))).message).toContain(`main is now at ${mine.slice(0, 8)}`)
    await perform(swarm.core, acceptTarget, { target: 'main', to: (await moves(swarm))[0]!.to }, person)
    await look(swarm)
    expect([oid(swarm), await items(swarm)]).toEqual([mine, []])
  })

  it('that was interrupted before its end was recorded is completed by the next process', async () => {
    const { swarm } = await withAgent()
    const from = oid(swarm)
    const to = commit(swarm.root, { added: 'x\n' }, 'Agent')
    await look(swarm)
    await perform(swarm.core, putBackTarget, { target: 'main', to }, person)
    await moveTarget(swarm.root, {
      id: 0,
      target: 'main',
      from: to,
      to: from,
      message: 'aiswarm: put main back',
      landed: false,
      resumed: false,
    })
    await look(swarm)
    expect((await moves(swarm)).length).toBe(1)
    await swarm.turn()
    expect([oid(swarm), await moves(swarm)]).toEqual([from, []])
  })
})

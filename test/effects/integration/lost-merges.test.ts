import { expect, it } from 'vitest'
import { system } from '../../../src/domain/agent/actor.ts'
import { findLostMerges } from '../../../src/effects/integration/lost-merges.ts'
import { landedMerges } from '../../../src/operations/database/maintenance.ts'
import { approveIntegration } from '../../../src/operations/integration/decisions.ts'
import { recordTarget } from '../../../src/operations/integration/drift-detection.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { act, perform } from '../../../src/operations/perform/perform.ts'
import { commit, git, openSwarm } from '../swarm.ts'

/** A board with a merge of the worktree auth that has landed in main. */
const landed = async () => {
  const swarm = await openSwarm({ files: { 'README.md': 'a shop\n' } })
  commit(await swarm.build('auth'), { 'auth.txt': 'jwt\n' }, 'Add the login')
  const { targetOid, branchOid, mergeOid } = (await act(swarm.connection, requestIntegration, { worktreeName: 'auth' }))
    .integration!
  await act(swarm.connection, approveIntegration, {
    worktreeName: 'auth',
    ...{ targetOid: targetOid!, branchOid: branchOid!, mergeOid: mergeOid!, verificationId: null },
  })
  const lost = async () => findLostMerges(swarm.root, await landedMerges(swarm.core))
  return { swarm, root: swarm.root, before: targetOid!, merge: mergeOid!, lost }
}

it('a merge that its target contains is not lost, also below later commits', async () => {
  const { root, merge, lost } = await landed()
  expect(git(root, 'rev-parse', 'main')).toBe(merge)
  expect(await lost()).toEqual([])
  commit(root, { 'later.txt': 'more\n' }, 'Add more')
  expect(await lost()).toEqual([])
})

it('a merge that its target does not contain any more is named, until a person has moved the target', async () => {
  const { swarm, root, before, merge, lost } = await landed()
  git(root, 'update-ref', 'refs/heads/main', before)
  expect(await lost()).toEqual([
    `main does not contain merge ${merge.slice(0, 8)} of worktree auth: something other than aiswarm moved the branch. See 'aiswarm target show main', or merge that commit again.`,
  ])
  const commits = { added: 0, dropped: 2, newest: [] }
  const moves = { target: 'main', times: ['2020-01-01T00:00:00.000Z'], launching: [], commits }
  await perform(swarm.core, recordTarget, { ...moves, found: merge }, system())
  await perform(swarm.core, recordTarget, { ...moves, before: merge, found: before }, system())
  expect(await lost()).toEqual([])
})

it('a target that is gone is named with the number of its merges', async () => {
  const { root, lost } = await landed()
  git(root, 'branch', '-m', 'main', 'trunk')
  expect(await lost()).toEqual([
    'main, the target of 1 merge, is not a branch here. Create it again at its last commit.',
  ])
})

import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Radar } from '../../src/contracts/observations.ts'
import type { Review } from '../../src/contracts/review.ts'
import type { WorktreeView } from '../../src/operations/views/worktrees.ts'
import { git, repository, sh, until } from '../effects/swarm.ts'
import { ownCluster } from '../support/board-on-server.ts'
import { temporaryFolder } from '../support/core.ts'
import { type Host, hosts, task, twoHosts } from '../support/hosts.ts'

// Code goes through a bare repository that both hosts reach; neither sees the other's clone.

const cluster = ownCluster()

interface Fleet {
  readonly first: Host
  readonly second: Host
  readonly remote: string
}

/** Two hosts with a remote. */
const fleet = async (prepare: (root: string, remote: string) => void = () => {}): Promise<Fleet> => {
  const root = repository()
  const remote = join(temporaryFolder(), 'shop.git')
  sh(root, `git clone --quiet --bare . "${remote}"`)
  prepare(root, remote)
  return { ...(await twoHosts(cluster, { root, remote })), remote }
}

const at = (folder: string, revision = 'main'): string => git(folder, 'rev-parse', revision)

/** A task of the second host that commits a file in a worktree of its own. */
const workThere = (fleet: Fleet, name: string): Promise<number> =>
  workOn(fleet, hosts(fleet.first).find(({ id }) => id !== 'local')!.id, { name })

/** A task of a host that commits a file in a worktree of its own. */
const workOn = async (
  { first, second }: Fleet,
  host: string,
  { name, file = `${name}.txt` }: { readonly name: string; readonly file?: string },
): Promise<number> => {
  first.run(['worktree', 'create', name, '--branch', name, '--host', host])
  const { id } = first.run<{ id: number }>([
    ...['task', 'add', name, '--persona', 'implementer', '--worktree', name],
    ...['--command', `echo ${name} > ${file}; git add .; git -c user.name=b -c user.email=b@b commit -qm ${name}`],
  ])
  await until(`the task of ${name}`, () => task(second, id).status === 'completed')
  return id
}

const shown = ({ run }: Host, name: string): WorktreeView => run<WorktreeView>(['worktree', 'show', name])
const standing = (host: Host, name: string): string | undefined => shown(host, name).integration?.status

const ready = async (host: Host, name: string): Promise<WorktreeView> => {
  await until(`the merge of ${name}`, () => standing(host, name) === 'ready')
  return shown(host, name)
}

const approve = (host: Host, name: string): Promise<string> =>
  host.answer(['worktree', 'approve', name], /Type the name of the worktree/, name)

test('the work of one host is reviewed, approved and merged on another, and both follow', async () => {
  const { first, second, remote } = await fleet()
  first.worker()
  second.worker()
  await workThere({ first, second, remote }, 'lamp')
  first.run(['worktree', 'request', 'lamp'])
  const { integration } = await ready(first, 'lamp')
  expect(at(remote, 'refs/aiswarm/work/lamp')).toBe(integration!.branchOid)
  expect(at(remote, `refs/aiswarm/candidate/${integration!.id}`)).toBe(integration!.mergeOid)
  for (const host of [first, second]) {
    const review = host.run<Review>(['worktree', 'diff', 'lamp'])
    expect(review.files.map(({ path }) => path)).toEqual(['lamp.txt'])
    expect(review.to).toBe(integration!.mergeOid)
  }
  await approve(first, 'lamp')
  await until('the end of the integration', () => standing(first, 'lamp') === 'integrated')
  expect(at(remote)).toBe(integration!.mergeOid)
  for (const { root } of [first, second])
    await until(`main in ${root}`, () => at(root) === integration!.mergeOid && existsSync(join(root, 'lamp.txt')))
  await until('the end of its refs', () => git(remote, 'for-each-ref', 'refs/aiswarm') === '')
})

test('worktrees of two hosts conflict as pushed: each host shows it, and the agents get a note', async () => {
  const both = await fleet()
  const { first, second } = both
  first.worker()
  second.worker()
  const lamp = await workThere(both, 'lamp')
  await workOn(both, 'local', { name: 'sofa', file: 'lamp.txt' })
  for (const host of [first, second]) {
    const pairs = await until('the conflict', () => {
      const radar = host.run<Radar>(['worktree', 'radar'])
      return radar.pairs.length > 0 && radar.pairs
    })
    expect(pairs).toMatchObject([{ a: 'lamp', b: 'sofa', withTarget: false, files: ['lamp.txt'], problem: null }])
  }
  await until('the note', () => JSON.stringify(first.run(['task', 'logs', String(lamp)])).includes('sofa'))
})

test('a target, a work ref or a remote that changes after the verification never lands what was not approved', async () => {
  // The configuration of a clone sends nothing elsewhere.
  const evil = join(temporaryFolder(), 'evil.git')
  const redirect = (root: string, remote: string): void => {
    git(root, 'config', `url.${evil}.pushInsteadOf`, remote)
    git(root, 'config', `url.${evil}.insteadOf`, remote)
  }
  const { first, second, remote } = await fleet((root, remote) => {
    sh(root, `git init --quiet --bare "${evil}"`)
    redirect(root, remote)
  })
  redirect(second.root, remote)
  const pretender = (parent: string): string =>
    git(remote, '-c', 'user.name=c', '-c', 'user.email=c@c', 'commit-tree', `${parent}^{tree}`, '-p', parent, '-m', 'x')
  first.worker()
  second.worker()
  await workThere({ first, second, remote }, 'lamp')
  first.run(['worktree', 'request', 'lamp'])
  const before = (await ready(first, 'lamp')).integration!

  // Another host's push to the target: the merge is made again, on top of it, and needs a new approval.
  const theirs = pretender('main')
  git(remote, 'update-ref', 'refs/heads/main', theirs)
  await approve(first, 'lamp')
  expect(at(remote)).toBe(theirs)
  await until('the second merge', () => shown(first, 'lamp').integration?.targetOid === theirs)
  const again = (await ready(first, 'lamp')).integration!
  expect(again.mergeOid).not.toBe(before.mergeOid)

  // A rewritten work ref: what it names now was never shown.
  git(remote, 'update-ref', 'refs/aiswarm/work/lamp', pretender(again.branchOid!))
  await approve(first, 'lamp')
  expect(at(remote)).toBe(theirs)
  await until('the third merge', () => {
    const { integration } = shown(first, 'lamp')
    return integration?.status === 'ready' && integration.mergeOid !== again.mergeOid
  })
  const third = shown(first, 'lamp').integration!
  expect(third.branchOid).toBe(again.branchOid)
  expect(at(remote, 'refs/aiswarm/work/lamp')).toBe(third.branchOid)

  // A remote that is away: the approved merge waits, and lands when it is back.
  renameSync(remote, `${remote}.away`)
  await approve(first, 'lamp')
  expect(standing(first, 'lamp')).toMatch(/^(ready|approved|moving)$/)
  renameSync(`${remote}.away`, remote)
  if (standing(first, 'lamp') === 'ready') await approve(first, 'lamp')
  await until('the end of the integration', () => standing(first, 'lamp') === 'integrated')
  expect(at(remote)).toBe(third.mergeOid)
  await until('main of the other', () => at(second.root) === third.mergeOid)
  expect(git(evil, 'for-each-ref')).toBe('')
})

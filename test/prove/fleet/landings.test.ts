import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { type Approval, type Landings, nameOf, readLandings } from './landings.ts'

const shop = () => {
  const folder = mkdtempSync(join(tmpdir(), 'aiswarm-landings-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const who = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org']
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', folder, ...who, ...args], { encoding: 'utf8' }).trim()
  const commit = (file: string): string => {
    writeFileSync(join(folder, file), `${file}\n`)
    git('add', file)
    git('commit', '-q', '-m', file)
    return git('rev-parse', 'HEAD')
  }
  git('init', '-q', '-b', 'main')
  const begin = commit('begin')
  const branch = (name: string): string => {
    git('checkout', '-q', '--detach', begin)
    return commit(name)
  }
  const merge = (targetOid: string, branchOid: string, tree?: string): Approval => {
    const merged = tree ?? git('merge-tree', '--write-tree', targetOid, branchOid)
    return {
      ...{ targetOid, branchOid },
      mergeOid: git('commit-tree', merged, '-p', targetOid, '-p', branchOid, '-m', 'Integrate'),
    }
  }
  const landings = (at: string, approvals: readonly Approval[]): Landings =>
    readLandings(folder, { begin, target: at, approvals })
  const [one, two] = [merge(begin, branch('one')), merge(begin, branch('two'))]
  return { begin, one, two, git, branch, commit, merge, landings }
}

const unapproved = (oid: string): readonly string[] => [`${oid} was merged without an approval`]

it('the proof accepts an approved merge, and one that was merged again on top of an earlier merge', () => {
  const { one, two, merge, landings } = shop()
  const second = merge(one.mergeOid, two.branchOid)
  expect(landings(second.mergeOid, [one, two])).toEqual({
    landed: [one.mergeOid, second.mergeOid],
    carried: 1,
    violations: [],
  })
  expect(landings(one.mergeOid, [one, two])).toMatchObject({ carried: 0, violations: [] })
})

it('the proof reports a merge without an approval, and a commit with one parent', () => {
  const { one, two, branch, merge, landings, git, commit } = shop()
  expect(landings(one.mergeOid, [two]).violations).toEqual(unapproved(one.mergeOid))
  const other = merge(one.mergeOid, branch('more'))
  expect(landings(other.mergeOid, [one, two]).violations).toEqual(unapproved(other.mergeOid))
  git('checkout', '-q', '--detach', one.mergeOid)
  const own = commit('own')
  expect(landings(own, [one, two]).violations).toEqual(unapproved(own))
})

it('the proof reports a merge on top of another that contains more than both', () => {
  const { one, two, merge, landings, git, commit } = shop()
  git('checkout', '-q', '--detach', one.mergeOid)
  commit('own')
  const more = merge(one.mergeOid, two.branchOid, git('rev-parse', 'HEAD^{tree}'))
  expect(landings(more.mergeOid, [one, two]).violations).toEqual(unapproved(more.mergeOid))
})

it('the proof reports a merge whose approval names a commit that the target never had', () => {
  const { one, two, branch, merge, landings } = shop()
  const elsewhere = merge(branch('elsewhere'), two.branchOid)
  const second = merge(one.mergeOid, two.branchOid)
  expect(landings(second.mergeOid, [one, elsewhere]).violations).toEqual(unapproved(second.mergeOid))
})

it('the proof reports a second merge by one approval, and a merge by the approval of a branch without commits', () => {
  const { one, merge, landings, begin } = shop()
  const again = merge(one.mergeOid, one.branchOid)
  expect(landings(again.mergeOid, [one]).violations).toEqual(unapproved(again.mergeOid))
  const empty = { targetOid: one.mergeOid, branchOid: begin, mergeOid: one.mergeOid }
  expect(landings(one.mergeOid, [empty]).violations).toEqual(unapproved(one.mergeOid))
})

it('the proof keeps the approval of a merge that a worktree without commits has for its own', () => {
  const { one, two, merge, landings, begin } = shop()
  const second = merge(one.mergeOid, two.branchOid)
  // As they were given in a run of the faults: the tasks of the worktree had been continued on another host.
  const empty = { targetOid: second.mergeOid, branchOid: begin, mergeOid: second.mergeOid }
  const given = new Map([one, second, empty].map((approval) => [nameOf(approval), approval]))
  expect(landings(second.mergeOid, [...given.values()])).toMatchObject({ carried: 0, violations: [] })
})

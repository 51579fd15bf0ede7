import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { targetTestsWords } from '../../../src/domain/integration/test-files.ts'
import { reviewOf } from '../../../src/effects/integration/review.ts'
import { act } from '../../../src/operations/perform/perform.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { reviewText } from '../../../src/cli/verbs/integrations.ts'
import { worktreeDetail } from '../../../src/cli/print/worktrees.ts'
import { commit, git, openSwarm, read, type Swarm } from '../swarm.ts'

/** Runs every file of tests; a test is a shell script that fails. */
const verify = `verify: 'for t in test/*.test.sh; do sh "$t" || { echo "failed: $t"; bad=1; }; done; exit \${bad:-0}'`

/** A target with three tests, all of which demand that `price` is 1. */
const opened = async (more = '') => {
  const swarm = await openSwarm({ config: `integration: {${verify}${more}}` })
  const demand = 'grep -qx 1 price\n'
  commit(
    swarm.root,
    { price: '1\n', 'test/a.test.sh': demand, 'test/b.test.sh': demand, 'test/c.test.sh': 'true\n' },
    'Demand the price',
  )
  return { swarm, folder: await swarm.build('auth') }
}

const request = async ({ swarm }: { readonly swarm: Swarm }) => {
  const { integration } = await act(swarm.connection, requestIntegration, { worktreeName: 'auth' })
  return integration!
}

/** The texts of the review and of `worktree show`. */
const shown = async ({ swarm }: { readonly swarm: Swarm }): Promise<readonly string[]> => {
  const worktree = await swarm.worktree('auth')
  const measured = { ...worktree, ahead: 0, behind: 0, dirtyFiles: 0, unread: null, sizeBytes: 0, sizeComplete: true }
  return [
    reviewText(await reviewOf(swarm.world, 'auth'), worktree.integration),
    worktreeDetail(measured as unknown as Parameters<typeof worktreeDetail>[0]),
  ]
}

describe('the verification of a branch that changed tests', () => {
  it('says that the versions of the target fail, names them, and changes no verdict', async () => {
    const opening = await opened()
    const { swarm, folder } = opening
    rmSync(join(folder, 'test/b.test.sh'))
    commit(
      folder,
      { price: '2\n', 'test/a.test.sh': 'true\n', 'test/c.test.sh': 'exit 0\n', 'test/new.test.sh': 'true\n' },
      'Raise the price',
    )
    const integration = await request(opening)
    expect(integration.status).toBe('ready')
    const tests = integration.verification!.targetTests!
    expect(tests).toMatchObject({
      changed: 2,
      deleted: 1,
      exitCode: 1,
      paths: ['test/a.test.sh', 'test/b.test.sh', 'test/c.test.sh'],
      named: ['test/a.test.sh', 'test/b.test.sh'],
    })
    const sentence =
      "The branch changed 2 and deleted 1 files of tests and CI; with the target's versions the verification fails (exit code 1); its output names test/a.test.sh, test/b.test.sh."
    expect(targetTestsWords(tests)).toBe(sentence)
    for (const text of await shown(opening)) expect(text).toContain(sentence)
    expect(read(tests.log)).toContain('failed: test/b.test.sh')
    // Nothing of the second run is left.
    expect(git(swarm.root, 'worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(2)
    expect(git(folder, 'status', '--short')).toBe('')
    expect(existsSync(join(folder, 'test/b.test.sh'))).toBe(false)
  })

  it('says that the versions of the target pass as well', async () => {
    const opening = await opened()
    commit(opening.folder, { 'test/c.test.sh': 'exit 0\n' }, 'Say it otherwise')
    const { verification } = await request(opening)
    expect(verification).toMatchObject({ exitCode: 0, targetTests: { changed: 1, deleted: 0, exitCode: 0 } })
    expect((await shown(opening))[0]).toContain(
      "✓ The branch changed 1 file of tests and CI; with the target's versions the verification passes as well.",
    )
  })

  it('runs once if no test changed, if it failed, or if the target says so', async () => {
    const opening = await opened()
    commit(opening.folder, { 'src/new.sh': 'true\n', 'test/new.test.sh': 'true\n' }, 'Add a test')
    expect((await request(opening)).verification!.targetTests).toBe(null)
    commit(opening.folder, { 'test/c.test.sh': 'false\n' }, 'Break a test')
    expect((await request(opening)).verification).toMatchObject({ exitCode: 1, targetTests: null })
    const without = await opened(', tests: []')
    commit(without.folder, { 'test/c.test.sh': 'exit 0\n' }, 'Say it otherwise')
    expect((await request(without)).verification!.targetTests).toBe(null)
  })

  it('restores a test whose place the branch gave to a folder, and reads the patterns from the target', async () => {
    const opening = await opened(', tests: ["TEST/*.SH"]')
    const { swarm, folder } = opening
    rmSync(join(folder, 'test/a.test.sh'))
    commit(folder, { 'test/a.test.sh/note': 'a folder\n', price: '2\n', 'test/b.test.sh': 'true\n' }, 'Hide a test')
    const { targetTests } = (await request(opening)).verification!
    expect(targetTests).toMatchObject({
      changed: 1,
      deleted: 1,
      exitCode: 1,
      named: ['test/a.test.sh', 'test/b.test.sh'],
    })
    expect(git(swarm.root, 'fsck', '--no-dangling')).toBe('')
  })
})

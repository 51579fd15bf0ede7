import { afterEach, beforeEach, expect, test } from 'vitest'
import { changeIntegration, selectLatestIntegration } from '../../../../src/db/integrations.ts'
import { person } from '../../../../src/domain/agent/actor.ts'
import { perform } from '../../../../src/operations/perform/perform.ts'
import { getWorktreeStatus } from '../../../../src/operations/worktrees/status.ts'
import { eventually } from '../../../support/eventually.ts'
import { type Fixture, openFixture } from '../../fixture.ts'
import { openScreen, type Screen } from '../../screen.ts'

let fixture: Fixture
let screen: Screen

beforeEach(async () => {
  fixture = await openFixture()
  await fixture.addWorktree('user-auth')
})

afterEach(async () => {
  await screen.close()
  fixture.close()
})

const worktree = async () => (await perform(fixture.core, getWorktreeStatus, {}, person))[0]!

test('i opens the approval view at once, shows what it would merge, and y merges exactly that', async () => {
  screen = openScreen(fixture)
  await screen.shows('user-auth')
  await screen.press('4', 'i')
  await screen.shows('merging…')
  await eventually(() => expect(fixture.world.wishes).toEqual([{ kind: 'prepare_integration', worktree: 'user-auth' }]))
  await screen.press('y')
  await screen.shows('The merge of user-auth is still in progress. Approve it when it is ready.')
  const candidate = await fixture.makeReady('user-auth')
  await screen.shows('y approve exactly these commits')
  const text = screen.text()
  for (const words of [
    'Integrate user-auth (feature/user-auth) into main',
    'aaaaaaaa (target) + bbbbbbbb (branch) → cccccccc',
    'Verification passed ✓',
    'bbbbbbbb Add the login form  (Ada)',
    'notes.txt',
    'src/login.ts',
  ])
    expect(text.replace(/ +/g, ' ')).toContain(words.replace(/ +/g, ' '))
  await screen.press('G')
  await screen.shows('+newer')
  await screen.press('\r')
  expect((await worktree()).integration?.status).toBe('ready')
  await screen.press('y')
  await eventually(async () =>
    expect((await worktree()).integration).toMatchObject({ status: 'approved', approvedBy: 'human', ...candidate }),
  )
  expect(fixture.world.wishes.at(-1)).toEqual({ kind: 'land_integration', worktree: 'user-auth' })
})

test('the approval says that the work was done without a sandbox, and why', async () => {
  await fixture.makeReady('user-auth')
  fixture.world.review = {
    ...fixture.world.review,
    unconfined: [{ agents: ['implementer-1'], why: 'bubblewrap is not installed' }],
  }
  screen = openScreen(fixture)
  await screen.shows('ready')
  await screen.press('4', 'i')
  await screen.shows('⚠ implementer-1 worked without a sandbox: bubblewrap is not installed')
})

test('the approval and the detail say that the verification ran without a sandbox, and why', async () => {
  await fixture.makeReady('user-auth')
  await fixture.core.store.write(async (db) => {
    const row = (await selectLatestIntegration(db, 'user-auth'))!
    const verification = { ...(JSON.parse(row.verification!) as object), unconfined: 'bubblewrap is not installed' }
    await changeIntegration(db, row.id, 'ready', { verification: JSON.stringify(verification) })
  })
  screen = openScreen(fixture, { columns: 100, rows: 40 })
  await screen.shows('ready')
  await screen.press('4', 'i')
  await screen.shows('⚠ The verification ran without a sandbox: bubblewrap is not installed')
  await screen.press('\u001b', '\r')
  await screen.shows(/Verification.*✓[^]*⚠ The verification ran without a sandbox: bubblewrap is not installed/)
})

test('the approval says that the versions of the target of changed tests fail', async () => {
  await fixture.makeReady('user-auth')
  const targetTests = { changed: 3, deleted: 0, paths: [], named: ['a.test.js', 'b.test.js'], exitCode: 1, log: '' }
  await fixture.core.store.write(async (db) => {
    const row = (await selectLatestIntegration(db, 'user-auth'))!
    const verification = JSON.stringify({ ...(JSON.parse(row.verification!) as object), targetTests })
    await changeIntegration(db, row.id, 'ready', { verification })
  })
  screen = openScreen(fixture)
  await screen.shows('ready')
  await screen.press('4', 'i')
  await screen.shows('⚠ The branch changed 3 files of tests and CI; with the target')
  await screen.shows('b.test.js')
  await screen.shows('y approve exactly these commits')
})

test('n in the approval view asks for a reason and rejects', async () => {
  await fixture.makeReady('user-auth')
  screen = openScreen(fixture)
  await screen.shows('ready')
  await screen.press('4', 'i')
  await screen.shows('y approve exactly these commits')
  await screen.press('n')
  await screen.shows('Reject the integration of user-auth')
  await screen.press('no tests', '\r')
  await eventually(async () =>
    expect((await worktree()).integration).toMatchObject({ status: 'rejected', problem: 'no tests' }),
  )
  await screen.shows('Rejected the integration of user-auth; the worktree is kept.')
})

test('an approval waits until the diff of exactly these commits was shown', async () => {
  await fixture.makeReady('user-auth')
  let give = () => {}
  const wait = new Promise<void>((resolve) => (give = resolve))
  const { review } = fixture.world
  fixture.world.reviewWorktree = async () => {
    await wait
    return review
  }
  screen = openScreen(fixture)
  await screen.shows('ready')
  await screen.press('4', 'i')
  await screen.shows('loading the diff…')
  await screen.press('y')
  await screen.shows('Read it before you approve.')
  expect((await worktree()).integration?.status).toBe('ready')
  give()
  await screen.shows('y approve exactly these commits')
})

test('a merge that cannot be approved is not shown as a success', async () => {
  const failing =
    (status: 'unverified' | 'conflicted', problem: string | null = null) =>
    async () => {
      await fixture.core.store.write(async (db) =>
        changeIntegration(db, (await selectLatestIntegration(db, 'user-auth'))!.id, 'requested', {
          status,
          target_oid: 'a',
          branch_oid: 'b',
          merge_oid: status === 'unverified' ? 'c' : null,
          problem,
        }),
      )
    }
  fixture.world.carryOut = failing('unverified')
  screen = openScreen(fixture)
  await screen.shows('user-auth')
  await screen.press('4', 'i')
  await screen.shows('! The verification of user-auth failed. Fix it before you approve.')
  await screen.lacks('✓ user-auth')
  fixture.world.carryOut = failing('conflicted')
  await screen.press('i')
  await screen.shows('! user-auth conflicts with main. Resolve it before you approve.')
  fixture.world.carryOut = failing('unverified', 'user-auth fails its verification together with payments.')
  await screen.press('i')
  await screen.shows('! user-auth fails its verification together with payments.')
})

test('a resolved conflict is not shown as a conflict anywhere', async () => {
  const lander = {
    name: 'user-auth',
    target: 'main',
    brings: true,
    unfinished: 0,
    uncommitted: 0,
    needs: [],
    remark: null,
  }
  const pair = {
    a: 'user-auth',
    b: 'main',
    withTarget: true,
    files: ['a.ts'],
    includesUncommitted: false,
    problem: null,
  }
  let pairs = [pair]
  fixture.world.radar = async () => ({ worktrees: [lander], pairs, order: ['user-auth'], steps: [] })
  fixture.world.carryOut = async () => {
    await fixture.core.store.write(async (db) =>
      changeIntegration(db, (await selectLatestIntegration(db, 'user-auth'))!.id, 'requested', {
        status: 'conflicted',
        target_oid: 'a',
        branch_oid: 'b',
        merge_oid: null,
        conflicts: JSON.stringify(['a.ts']),
      }),
    )
  }
  screen = openScreen(fixture, { columns: 200, rows: 40 })
  await screen.shows('user-auth')
  await screen.press('4', 'i')
  await screen.shows('before you approve.')
  await screen.press('\u001b')
  await screen.shows('⚠ conflicts with main')
  pairs = []
  await screen.shows('⚠ conflicted with main, retry')
  await screen.lacks('conflicts with main')
  await screen.press('W')
  await screen.shows('user-auth conflicted with main in a.ts')
  await screen.shows('the radar finds no conflict any more, so request the integration again')
  await screen.press('\u001b', '\r')
  await screen.shows(
    /\[Worktree user-auth\].*\n│ ⚠ conflicted with main, retry +│\n│ conflicted with main in a\.ts; the radar finds no conflict any more/,
  )
  pairs = [pair]
  await screen.shows(/\[Worktree user-auth\].*\n│ ⚠ conflicts with main +│/)
})

test('the detail of a worktree shows its integration and its target separately, without an empty line after the output', async () => {
  fixture.world.carryOut = async () => {
    const at = fixture.core.clock()
    await fixture.core.store.write(async (db) =>
      changeIntegration(db, (await selectLatestIntegration(db, 'user-auth'))!.id, 'requested', {
        status: 'unverified',
        target_oid: 'a',
        branch_oid: 'b',
        merge_oid: 'c',
        verification: JSON.stringify({
          id: 1,
          command: 'npm test',
          exitCode: 1,
          log: '',
          tail: 'it broke\n\n',
          startedAt: at,
          endedAt: at,
        }),
      }),
    )
  }
  screen = openScreen(fixture, { columns: 100, rows: 40 })
  await screen.shows('user-auth')
  await screen.press('4', 'i')
  await screen.shows('before you approve.')
  await screen.press('\u001b', '\r')
  await screen.shows(/\[Worktree user-auth\].*\n│ ✗ verification failed · target main +│/)
  await screen.shows(/│ it broke +│\n│ +│\n│ ▸/)
  // The title already says how it ended.
  await screen.shows(/│ ▾ Verification {2}✗ +│\n│ command +npm test +│/)
})

test('a merge that is being created is shown without a success mark', async () => {
  screen = openScreen(fixture)
  await screen.shows('user-auth')
  await screen.press('4', 'i')
  await screen.shows('· user-auth: merging.')
})

test('a refused approval closes the view and shows the reason', async () => {
  await fixture.addTask('unfinished', { targetWorktree: 'user-auth' })
  screen = openScreen(fixture)
  await screen.shows('unfinished')
  await screen.press('4', 'i')
  await screen.shows('Worktree user-auth has unfinished tasks (1). Complete or cancel them first.')
  await screen.shows('[4 Worktrees]')
})

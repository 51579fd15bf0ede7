import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { reviewArrived } from '../../../../src/ui/views/review/feed.ts'
import { answerToReview } from '../../../../src/ui/views/review/approval.ts'
import { approvalIn, windowOf } from '../../../../src/ui/views/review/review.ts'
import { fileOf, reviewOfFiles } from '../../../support/review.ts'
import { openController, type TestController } from '../../controller.ts'
import { type Fixture, openFixture } from '../../fixture.ts'

let fixture: Fixture
let controller: TestController
beforeEach(async () => {
  fixture = await openFixture()
  await fixture.addWorktree('user-auth')
  controller = await openController(fixture)
})
afterEach(() => fixture.close())

const overlay = () => approvalIn(controller.state().view.overlay)!
const unmerged = (to: string, ...paths: readonly string[]) => ({
  ...reviewOfFiles(paths.map((path) => fileOf(path, '@@ -1 +1 @@\n-a\n+b\n'))),
  candidate: null,
  to,
})
const worktree = () => controller.state().board.worktrees[0]!

describe('the diff of a worktree', () => {
  it('opens by one key, without a request to merge it', () => {
    controller.press('4', 'D')
    controller.change(reviewArrived(unmerged('1', 'a.ts')))
    expect(windowOf(controller.state(), overlay(), 40)!.title).toContain('Diff of user-auth')
    expect(answerToReview(controller.state(), overlay())).toMatch(/^reading only; i requests an integration/)
    expect(worktree().integration).toBeNull()
  })

  it('is not approved, and the key says what requests the integration', () => {
    controller.press('4', 'D')
    controller.press('y')
    expect(controller.state().view.notice.text).toBe(
      'No integration was requested, so there is nothing to approve. i requests one.',
    )
  })

  it('becomes the review of the integration when that is requested', () => {
    controller.press('4', 'D')
    controller.press('i')
    expect(overlay().readOnly).toBe(false)
    expect(windowOf(controller.state(), overlay(), 40)!.title).toContain('Integrate user-auth')
  })

  it('stays at its file while the branch moves', () => {
    controller.press('4', 'D')
    controller.change(reviewArrived(unmerged('1', 'a.ts', 'b.ts')))
    controller.press(']', ']')
    expect(overlay().at.file).toBe(1)
    controller.change(reviewArrived(unmerged('2', 'a-new.ts', 'a.ts', 'b.ts')))
    expect(overlay().at.file).toBe(2)
    controller.change(reviewArrived(unmerged('3', 'a-new.ts')))
    expect(overlay().at.file).toBe(-1)
  })
})

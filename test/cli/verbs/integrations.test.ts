import { expect, test } from 'vitest'
import { reviewText } from '../../../src/cli/verbs/integrations.ts'
import type { IntegrationView } from '../../../src/operations/views/worktrees.ts'
import { reviewOfDiff } from '../../support/review.ts'

test('the preview of an approval names the agents that worked and the verification that ran without a sandbox, below the totals', () => {
  const review = reviewOfDiff('diff --git a/a.ts b/a.ts\n@@ -1 +1 @@\n-old\n+new\n', {
    unconfined: [
      { agents: ['implementer-1', 'implementer-2', 'implementer-3', 'implementer-4'], why: 'no bwrap\u001b[2J' },
    ],
  })
  const at = '2026-01-30T14:22:33.000Z'
  const integration = {
    verification: { command: 'true', exitCode: 0, tail: '', unconfined: 'no bwrap', startedAt: at, endedAt: at },
  } as unknown as IntegrationView
  expect(reviewText(review, integration).split('\n').slice(0, 6)).toEqual([
    `1 file, +1 −1, 1 commit, from aaaaaaaaa to ccccccccc`,
    '',
    '⚠ implementer-1, implementer-2, implementer-3 and 1 more worked without a sandbox: no bwrap⟨001B⟩[2J',
    '⚠ The verification ran without a sandbox: no bwrap',
    '',
    '1 file',
  ])
})

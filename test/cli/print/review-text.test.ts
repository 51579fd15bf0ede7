import { expect, test } from 'vitest'
import { reviewText } from '../../../src/cli/print/review-text.ts'
import { reviewOfDiff } from '../../support/review.ts'

test('the preview of an approval names the agents that worked without a sandbox, below the totals', () => {
  const review = reviewOfDiff('diff --git a/a.ts b/a.ts\n@@ -1 +1 @@\n-old\n+new\n', {
    unconfined: [
      { agents: ['implementer-1', 'implementer-2', 'implementer-3', 'implementer-4'], why: 'no bwrap\u001b[2J' },
    ],
  })
  expect(reviewText(review, null).split('\n').slice(0, 5)).toEqual([
    `1 file, +1 −1, 1 commit, from aaaaaaaaa to ccccccccc`,
    '',
    '⚠ implementer-1, implementer-2, implementer-3 and 1 more worked without a sandbox: no bwrap⟨001B⟩[2J',
    '',
    '1 file',
  ])
})

import { z } from 'zod'
import { changeIntegration, selectIntegration } from '../../db/integrations.ts'
import { text } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'

const oid = z.string().regex(/^[0-9a-f]{40,64}$/)

export const recordCandidate = operation({
  name: 'record_candidate',
  summary: 'Record the result of merging a worktree into its target: a commit to verify, or conflicts',
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      id: z.int(),
      candidate: z.union([
        z.strictObject({ targetOid: oid, branchOid: oid, mergeOid: oid }),
        z.strictObject({ conflicts: z.array(z.string()).max(10_000) }),
        z.strictObject({ problem: text(8000) }),
      ]),
      approval: z.enum(['human', 'auto']),
    }),
  output: () => z.object({ recorded: z.boolean(), worktree: z.string() }),
  run: async ({ db }, { id, candidate, approval }) => {
    const row = (await selectIntegration(db, id))!
    const change =
      'conflicts' in candidate
        ? { status: 'conflicted' as const, conflicts: JSON.stringify(candidate.conflicts), approval }
        : 'problem' in candidate
          ? { status: 'conflicted' as const, problem: candidate.problem, conflicts: '[]', approval }
          : {
              status: 'verifying' as const,
              target_oid: candidate.targetOid,
              branch_oid: candidate.branchOid,
              merge_oid: candidate.mergeOid,
              approval,
              conflicts: null,
              problem: null,
            }
    return { recorded: await changeIntegration(db, id, 'requested', change), worktree: row.worktree }
  },
  subject: ({ recorded, worktree }, { id, candidate, approval }) =>
    recorded ? { worktree, details: { integration: id, approval, ...candidate } } : null,
})

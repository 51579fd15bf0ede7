import { z } from 'zod'
import { insertCommits, markCommitsRecorded } from '../../db/attempts.ts'
import { taskId, text } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'

export const recordCommits = operation({
  name: 'record_commits',
  summary: 'Record the commits that were made during an attempt',
  access: 'beat',
  authority: 'system',
  input: () =>
    z.strictObject({
      taskId,
      attempt: z.int().min(1),
      branch: text(400),
      commits: z.array(z.object({ oid: text(64), author: text(1000), at: z.string(), subject: text(2000) })).max(1000),
    }),
  output: () => z.object({ recorded: z.boolean() }),
  run: async ({ db }, { taskId, attempt, branch, commits }) => {
    const recorded = await markCommitsRecorded(db, taskId, attempt)
    if (recorded)
      await insertCommits(
        db,
        commits.map(({ oid, author, at, subject }, position) => ({
          task_id: taskId,
          attempt,
          oid,
          position,
          branch,
          author,
          committed_at: at,
          subject,
        })),
      )
    return { recorded }
  },
})

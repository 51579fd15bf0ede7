import { z } from 'zod'
import { selectStems } from '../../db/task-tree.ts'
import { operation } from '../door/operation.ts'

export const readStems = operation({
  name: 'read_stems',
  summary: 'Below which task each task of a span of numbers hangs in the tree of dependencies, and no more: a board of any size is gone through piece by piece',
  access: 'read',
  authority: 'anyone',
  input: z.strictObject({ from: z.int().min(0).default(1), span: z.int().min(1).max(10_000).default(2000) }),
  output: z.array(z.object({ id: z.int(), stem: z.int().describe('0 where it hangs below none') })).readonly(),
  run: ({ db }, { from, span }) => selectStems(db, from, span),
})

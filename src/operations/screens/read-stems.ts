import { z } from 'zod'
import { selectStems } from '../../db/dependency-tree.ts'
import { operation } from '../perform/operation.ts'

export const readStems = operation({
  name: 'read_stems',
  summary:
    'Read the parent in the dependency tree of each task in a span of numbers, so that a board of any size is read in parts',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ from: z.int().min(0).default(1), span: z.int().min(1).max(10_000).default(2000) }),
  output: () => z.array(z.object({ id: z.int(), stem: z.int().describe('0 if it has no parent') })).readonly(),
  run: ({ db }, { from, span }) => selectStems(db, from, span),
})

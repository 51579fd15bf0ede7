import { z } from 'zod'
import type { RadarConflictRow } from '../../db/schema/worktrees.ts'
import { selectOpenConflicts } from '../../db/radar.ts'
import type { Conflict } from '../../domain/integration/radar.ts'
import { operation } from '../perform/operation.ts'
import { lazyObject, parsed } from '../perform/schemas.ts'

const conflict = lazyObject(() => ({
  a: z.string(),
  b: z.string(),
  withTarget: z.boolean(),
  files: z.array(z.string()),
  includesUncommitted: z.boolean(),
  problem: z.null(),
}))

export const readConflicts = operation({
  name: 'read_conflicts',
  summary: 'List the recorded open conflicts between worktrees and with their targets',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({}),
  output: () => z.array(conflict()),
  run: async ({ db }) => (await selectOpenConflicts(db)).map(viewConflict),
})

const viewConflict = (row: RadarConflictRow): Conflict & { files: string[]; problem: null } => ({
  a: row.worktree,
  b: row.other,
  withTarget: row.with_target === 1,
  files: (parsed(row.files) as string[] | null) ?? [],
  includesUncommitted: row.uncommitted === 1,
  problem: null,
})

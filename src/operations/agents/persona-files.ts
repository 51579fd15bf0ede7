import { z } from 'zod'
import { selectPersona, selectPersonas, upsertPersona } from '../../db/agents.ts'
import { builtInPersonas } from '../../domain/agent/personas.ts'
import { checkId } from '../../domain/rules/names.ts'
import type { Context } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'
import { lazyObject } from '../perform/schemas.ts'

const personaFile = lazyObject(() => ({
  id: z.string(),
  name: z.string(),
  role: z.enum(['planner', 'worker']),
  definition: z.string(),
  hash: z.string(),
}))
export type PersonaFile = z.output<ReturnType<typeof personaFile>>

export const syncPersonas = operation({
  name: 'sync_personas',
  summary: 'Update the personas from the built-in ones and the files that override them',
  access: 'write',
  authority: 'system',
  input: () => z.strictObject({ files: z.array(personaFile()) }),
  output: () => z.object({ changed: z.array(z.string()) }),
  run: async (context, { files }) => {
    const changed: string[] = []
    for (const persona of builtInPersonas) if (await restore(context, persona, files)) changed.push(persona.id)
    for (const file of files) if (await takeUp(context, file)) changed.push(file.id)
    return { changed }
  },
  subject: ({ changed }) => (changed.length > 0 ? { details: { changed } } : null),
})

/** True if the database differs from the files and the built-in personas: the cheap check before a write. */
export const personasDiffer = operation({
  name: 'personas_differ',
  summary: 'Check whether files or program define personas that the database lacks',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({ files: z.array(personaFile()) }),
  output: () => z.boolean(),
  run: async ({ db }, { files }) => {
    const rows = new Map((await selectPersonas(db)).map((row) => [row.id, row]))
    const stale = builtInPersonas.some(({ id, definition }) => {
      const row = rows.get(id)
      return (
        !row ||
        (row.source === 'built-in' && row.definition !== definition) ||
        (row.source === 'file' && !files.some((file) => file.id === id))
      )
    })
    return stale || files.some((file) => rows.get(file.id)?.source_hash !== file.hash)
  },
})

/** Restores a built-in persona unless a file or a person overrides it; a deleted file no longer does. */
const restore = async (
  { db, now }: Context,
  persona: (typeof builtInPersonas)[number],
  files: readonly PersonaFile[],
): Promise<boolean> => {
  const row = await selectPersona(db, persona.id)
  const keeps =
    row &&
    (row.source === 'set' ||
      (row.source === 'file' && files.some((file) => file.id === persona.id)) ||
      row.definition === persona.definition)
  if (keeps) return false
  await upsertPersona(db, {
    ...persona,
    source: 'built-in',
    source_hash: null,
    created_at: row?.created_at ?? now,
    updated_at: now,
  })
  return true
}

const takeUp = async ({ db, now }: Context, { hash, ...file }: PersonaFile): Promise<boolean> => {
  checkId('persona', file.id)
  const row = await selectPersona(db, file.id)
  if (row?.source_hash === hash) return false
  await upsertPersona(db, {
    ...file,
    source: 'file',
    source_hash: hash,
    created_at: row?.created_at ?? now,
    updated_at: now,
  })
  return true
}

import type { PersonaRow } from './schema/schema.ts'
import type { Db } from './engine/db.ts'

export const selectPersona = async (db: Db, id: string): Promise<PersonaRow | undefined> =>
  db.selectFrom('personas').where('id', '=', id).selectAll().executeTakeFirst()

/** All personas for agents. */
export const selectPersonas = async (db: Db): Promise<readonly PersonaRow[]> =>
  db.selectFrom('personas').where('role', '<>', 'person').selectAll().orderBy('id').execute()

export const upsertPersona = async (db: Db, row: PersonaRow): Promise<void> => {
  const { id: _, created_at: __, ...changed } = row
  await db
    .insertInto('personas')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(changed))
    .execute()
}

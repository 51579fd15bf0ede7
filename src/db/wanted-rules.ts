import type { Db } from './engine/db.ts'

// Rules that a person wants in the configuration. They stay here until they are written.

export const insertWantedRule = async (db: Db, requestId: number): Promise<void> => {
  await db.insertInto('wanted_rules').values({ request_id: requestId }).execute()
}

/** With the persona of the agent that asked, in the order of the requests. */
export const selectWantedRules = (
  db: Db,
): Promise<readonly { request_id: number; persona_id: string; rule: string | null }[]> =>
  db
    .selectFrom('wanted_rules')
    .innerJoin('requests', 'requests.id', 'wanted_rules.request_id')
    .innerJoin('agents', 'agents.id', 'requests.agent_id')
    .select(['wanted_rules.request_id', 'agents.persona_id', 'requests.rule'])
    .orderBy('wanted_rules.request_id')
    .execute()

/** False if it is not wanted any more. */
export const deleteWantedRule = async (db: Db, requestId: number): Promise<boolean> =>
  (await db.deleteFrom('wanted_rules').where('request_id', '=', requestId).executeTakeFirst()).numDeletedRows === 1n

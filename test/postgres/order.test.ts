import { expect, test } from 'vitest'
import { addSession, newAddress, openAt, ownCluster, runSql, sessionsIn } from '../support/board-on-server.ts'

// Texts have the order of their bytes, as on SQLite, whatever the language of the database.

const cluster = ownCluster()

test('texts are sorted by their bytes in a database with another order', async () => {
  await runSql(
    cluster,
    "CREATE DATABASE english TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C.UTF-8' ENCODING 'UTF8'",
  )
  const address = newAddress(cluster, { database: 'english' })
  const store = await openAt(address)
  for (const id of ['a', 'B', 'ä', '_', 'Z']) await addSession(store, id)
  expect(await sessionsIn(store)).toEqual(['B', 'Z', '_', 'a', 'ä'])
})

test('no text column of the board has the order of a language', async () => {
  const address = newAddress(cluster)
  await openAt(address)
  const columns = await runSql(
    cluster,
    `SELECT attrelid::regclass::text AS relation, attname AS name FROM pg_attribute
     JOIN pg_class ON pg_class.oid = attrelid
     WHERE relnamespace = '${address.schema}'::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
       AND attcollation NOT IN (0, '"C"'::regcollation)`,
  )
  expect(columns).toEqual([])
})

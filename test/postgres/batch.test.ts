import { expect, onTestFinished, test } from 'vitest'
import { together } from '../../src/db/engine/db.ts'
import { type Server, serverAt, type Session } from '../../src/db/postgres/server.ts'
import { newAddress, ownCluster, runSql } from '../support/board-on-server.ts'

// The statements of one turn are one message.

const cluster = ownCluster()

const connected = async (): Promise<{ session: Session; server: Server }> => {
  const server = serverAt(newAddress(cluster))
  onTestFinished(() => server.end())
  const session = await server.connect()
  onTestFinished(() => session.release())
  return { session, server }
}

test('statements of one turn are answered each with its own rows, in their order', async () => {
  const { session } = await connected()
  for (let time = 0; time < 2; time++) {
    const [made, added, none, some] = await together(
      session.query('CREATE TEMPORARY TABLE IF NOT EXISTS ordered (n int, word text)', []),
      session.query('INSERT INTO ordered VALUES ($1, $2), (2, NULL)', [1, 'one "\\ {}, word']),
      session.query('SELECT * FROM ordered WHERE n > 5', []),
      session.query('DELETE FROM ordered RETURNING n, word', []),
    )
    expect(made.command).toBe('CREATE')
    expect(added).toMatchObject({ command: 'INSERT', rowCount: 2, rows: [] })
    expect(none).toMatchObject({ command: 'SELECT', rowCount: 0, rows: [] })
    expect(some.rows).toEqual([
      { n: 1, word: 'one "\\ {}, word' },
      { n: 2, word: null },
    ])
  }
})

test('parameters arrive as the values that they are', async () => {
  const { session } = await connected()
  const { rows } = await session.query(
    'SELECT $1::bigint AS large, $2::boolean AS yes, $3::text[] AS words, $4::bytea AS bytes, $5::text AS nothing, $6::float8 AS half',
    [2 ** 40, true, ['a "b"', 'c\\d', 'ä,{}'], new Uint8Array([0, 255]), null, 0.5],
  )
  expect(rows).toEqual([
    {
      large: 2 ** 40,
      yes: 1,
      words: ['a "b"', 'c\\d', 'ä,{}'],
      bytes: Buffer.from([0, 255]),
      nothing: null,
      half: 0.5,
    },
  ])
})

test('a statement that fails ends those of its turn that follow, and the connection is used further', async () => {
  const { session } = await connected()
  const ends = await Promise.allSettled([
    session.query('SELECT 1 AS one', []),
    session.query('SELECT 1 / $1::int AS two', [0]),
    session.query('SELECT 3 AS three', []),
  ])
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
  expect((ends[1] as PromiseRejectedResult).reason).toMatchObject({ code: '22012' })
  // The third was never prepared; it is now.
  const [three, two] = await together(
    session.query('SELECT 3 AS three', []),
    session.query('SELECT 1 / $1::int AS two', [1]),
  )
  expect([three.rows, two.rows]).toEqual([[{ three: 3 }], [{ two: 1 }]])
})

test('a message of several statements comes after what was asked before it, and before what is asked after it', async () => {
  const { session } = await connected()
  const answers = await together(
    session.query("SELECT set_config('a.b', 'first', false) AS b", []),
    session.script("SELECT current_setting('a.b') AS b; SELECT set_config('a.b', 'second', false) AS b"),
    session.query("SELECT current_setting('a.b') AS b", []),
  )
  expect([answers[0].rows, answers[1], answers[2].rows]).toEqual([
    [{ b: 'first' }],
    [{ b: 'second' }],
    [{ b: 'second' }],
  ])
})

test('a prepared statement whose columns have changed meanwhile is refused, not read wrongly', async () => {
  const { session } = await connected()
  await runSql(cluster, 'CREATE TABLE public.columns (n int); INSERT INTO public.columns VALUES (1)')
  const read = () => session.query('SELECT * FROM public.columns', [])
  expect((await read()).rows).toEqual([{ n: 1 }])
  await runSql(cluster, 'ALTER TABLE public.columns ADD word text; ALTER TABLE public.columns DROP n')
  await expect(read()).rejects.toMatchObject({ code: '0A000' })
})

test('all statements of a connection that breaks are refused', async () => {
  const { session } = await connected()
  const { rows } = await session.query<{ pid: number }>('SELECT pg_backend_pid() AS pid', [])
  const ends = Promise.allSettled([session.query('SELECT pg_sleep(60)', []), session.query('SELECT 1', [])])
  await runSql(cluster, `SELECT pg_terminate_backend(${rows[0]!.pid})`)
  expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

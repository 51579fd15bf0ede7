import { streamOf } from '../../src/db/engine/full-text.ts'
import { connect } from '../../src/db/sqlite/database.ts'
import { person } from '../../src/domain/agent/actor.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { retrieveConversation } from '../../src/operations/memory/conversations.ts'
import { openBenchCore, scratch } from '../bench-core.ts'
import { median, ms, type Row } from '../row.ts'

const CONVERSATIONS = 100_000
/** Rare words are found so fast that only many rounds are meaningful. */
const ROUNDS = { common: 9, parser: 9, 'parser token': 9, rare7: 300 } as const

/**
 * A retrieval among 100,000 conversations of two users compared with the bare full-text query, alternating; the worst
 * query counts.
 */
export const recall = async (): Promise<Row> => {
  const folder = scratch()
  const core = await openBenchCore(folder)
  fill(core.store.path)
  const db = connect(core.store.path, { readonly: true })
  const bare = db.prepare<[string]>(
    'SELECT rowid, rank FROM conversation_words WHERE conversation_words MATCH ? ORDER BY rank LIMIT 10',
  )
  const worst = { ratio: 0, ours: 0, theirs: 0, query: '', found: 0 }
  for (const [query, rounds] of Object.entries(ROUNDS)) {
    const [ours, theirs]: [number[], number[]] = [[], []]
    let found = 0
    for (let round = 0; round < rounds; round++) {
      const began = performance.now()
      found = (await perform(core, retrieveConversation, { userId: 'ada', query, limit: 10 }, person)).total
      const middle = performance.now()
      bare.all(query.replaceAll(' ', ' AND '))
      ours.push(middle - began)
      theirs.push(performance.now() - middle)
    }
    const ratio = median(ours) / median(theirs)
    if (ratio > worst.ratio) Object.assign(worst, { ratio, ours: median(ours), theirs: median(theirs), query, found })
  }
  db.close()
  core.store.close()
  return {
    what: `retrieval among ${CONVERSATIONS} conversations / the bare FTS5 query`,
    measured: `${worst.ratio.toFixed(2)}× (${ms(worst.ours)} / ${ms(worst.theirs)}, '${worst.query}', which ${worst.found} hold)`,
    target: '≤ 5×',
    kept: worst.ratio <= 5,
  }
}

const words =
  'parser token login board worktree merge conflict test build deploy review cache index schema queue agent lease session memory search'.split(
    ' ',
  )

/** Written by plain statements, because only reading is measured. */
const fill = (path: string): void => {
  const db = connect(path)
  const now = new Date().toISOString()
  const head = db.prepare('INSERT INTO conversations (id, user_id, message_id, at, recorded_at) VALUES (?, ?, ?, ?, ?)')
  const texts = db.prepare(
    'INSERT INTO conversation_texts (conversation_id, user_input, agent_response) VALUES (?, ?, ?)',
  )
  const stream = db.prepare('INSERT INTO conversation_words (rowid, user_input, agent_response) VALUES (?, ?, ?)')
  const some = (n: number, count: number): string =>
    Array.from({ length: count }, (_, i) => words[(n * 7 + i * i * 3 + (n % 13) * i) % words.length]).join(' ')
  db.transaction(() => {
    for (let n = 1; n <= CONVERSATIONS; n++) {
      head.run(n, n % 10 === 0 ? 'bob' : 'ada', `m${n}`, now, now)
      const [said, answered] = [`common ${some(n, 4)} rare${n % 5000}`, `${some(n + 3, 40)} and so on with number ${n}`]
      texts.run(n, said, answered)
      stream.run(n, streamOf(said), streamOf(answered))
    }
  })()
  db.close()
}

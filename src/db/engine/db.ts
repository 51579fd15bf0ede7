import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import type { Schema } from '../schema/schema.ts'

/** Builds and runs statements on the rows of a board, whichever engine stores them. */
export type Db = Kysely<Schema>

/** True if the engine has a function of its own that adds an event and seals it (`append_event`). */
export const sealsEvents = (db: Db): boolean => 'sealsEvents' in db.getExecutor().adapter

/** True if the engine counts only the numbers that it has given to rows itself, so that one that was chosen would come again. */
export const countsOwnNumbers = (db: Db): boolean => 'countsOwnNumbers' in db.getExecutor().adapter

/** True if one statement of the engine may insert rows of several tables, the later with numbers of the former. */
export const insertsInOne = (db: Db): boolean => 'insertsInOne' in db.getExecutor().adapter

/**
 * A statement that is built and compiled once per engine, however often it runs: measured for one row by its key, 9
 * µs of 21. `build` gets a stand-in for each value of the input, so it may check which values are present and the
 * lengths of lists, never a value itself; an undefined value counts as absent.
 */
export const statement = <Input extends object, Query extends Compilable>(build: (db: Db, input: Input) => Query) => {
  const known = new WeakMap<object, Map<string, Compiled<Query>>>()

  const compiled = (db: Db, input: Input): Compiled<Query> => {
    // A query compiles to the same text on every connection of an engine.
    const engine = db.getExecutor().adapter.constructor
    const shapes = known.get(engine) ?? new Map<string, Compiled<Query>>()
    if (shapes.size === 0) known.set(engine, shapes)
    const shape = shapeOf(input)
    const found = shapes.get(shape)
    if (found) return found
    const made = build(db, standIns(input)).compile() as Compiled<Query>
    // Lists of many lengths make many shapes.
    if (shapes.size >= MOST_SHAPES) shapes.clear()
    shapes.set(shape, made)
    return made
  }

  return (db: Db, input: Input) => {
    const query = compiled(db, input)
    return db.executeQuery<RowOf<Query>>({
      ...query,
      parameters: query.parameters.map((parameter) =>
        parameter instanceof StandIn ? parameter.valueIn(input) : parameter,
      ),
    })
  }
}

type RowOf<Query extends Compilable> = ReturnType<Query['compile']> extends CompiledQuery<infer Row> ? Row : never
type Compiled<Query extends Compilable> = CompiledQuery<RowOf<Query>>

const MOST_SHAPES = 100

/** Represents in a compiled statement a value that each run supplies. */
class StandIn {
  readonly name: string
  readonly at: number | undefined

  constructor(name: string, at?: number) {
    this.name = name
    this.at = at
  }

  valueIn(input: object): unknown {
    const value = (input as Readonly<Record<string, unknown>>)[this.name]
    return this.at === undefined ? value : (value as readonly unknown[])[this.at]
  }
}

const standIns = <Input extends object>(input: Input): Input =>
  Object.fromEntries(
    given(input).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map((_, at) => new StandIn(name, at)) : new StandIn(name),
    ]),
  ) as Input

/** The names that are present, and the lengths of lists. */
const shapeOf = (input: object): string => {
  let shape = ''
  for (const [name, value] of Object.entries(input)) {
    if (value !== undefined) shape += Array.isArray(value) ? `${name}*${value.length},` : `${name},`
  }
  return shape
}

const given = (input: object): readonly (readonly [string, unknown])[] =>
  Object.entries(input).filter(([, value]) => value !== undefined)

/**
 * Waits for statements that do not need each other's answers, which a server gets in one message; in a write each sees what
 * those before it have written. The first that failed in
 * the order given is thrown, once none is under way any more.
 */
export const together = async <const Waits extends readonly unknown[]>(
  ...waits: Waits
): Promise<{ -readonly [At in keyof Waits]: Awaited<Waits[At]> }> => {
  const ends = await Promise.allSettled(waits)
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed) throw failed.reason
  return ends.map((end) => (end as PromiseFulfilledResult<unknown>).value) as {
    -readonly [At in keyof Waits]: Awaited<Waits[At]>
  }
}

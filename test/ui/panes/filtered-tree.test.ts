import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeFoundTree } from '../../../src/ui/panes/filtered-tree.ts'
import { SPAN } from '../../../src/ui/panes/matches.ts'

/** A tree of `stems.length` tasks; task n + 1 is below `stems[n]`, 0 for none. */
const treeOf = (stems: readonly number[]) => {
  let reads = 0
  const tree = makeFoundTree((from, span) => {
    reads++
    return Promise.resolve(stems.slice(from - 1, from - 1 + span).map((stem, n) => ({ id: from + n, stem })))
  })
  return { tree, reads: () => reads }
}

/** The found tasks and their ancestors, in the order of the whole tree, in the plainest code. */
const plainly = (stems: readonly number[], found: ReadonlySet<number>) => {
  const rows: { id: number; level: number; matches: boolean }[] = []
  const below = (stem: number, level: number): boolean => {
    let any = false
    for (const [n, one] of stems.entries()) {
      if (one !== stem) continue
      const at = rows.length
      if (!below(n + 1, level + 1) && !found.has(n + 1)) continue
      rows.splice(at, 0, { id: n + 1, level, matches: found.has(n + 1) })
      any = true
    }
    return any
  }
  below(0, 0)
  return rows
}

/** Forests in which a task may be below any task that is not below it: an import may list a task before its dependency. */
const forest = fc.integer({ min: 1, max: 25 }).chain((size) =>
  fc
    .tuple(
      fc.array(fc.nat(size), { minLength: size, maxLength: size }),
      fc.shuffledSubarray([...Array(size).keys()], { minLength: size }),
    )
    // Each is below one that comes before it in an order of its own.
    .map(([draws, order]) =>
      draws.map((draw, n) =>
        order[n] === 0 ? 0 : draw % (order[n]! + 1) === 0 ? 0 : order.indexOf((draw % (order[n]! + 1)) - 1) + 1,
      ),
    ),
)

test('the found tasks and their ancestors have the order of the whole tree after any change, read from any place', async () => {
  await fc.assert(
    fc.asyncProperty(
      forest,
      fc.array(fc.array(fc.nat(24)), { minLength: 1, maxLength: 5 }),
      fc.nat(6),
      fc.integer({ min: 1, max: 6 }),
      async (stems, histories, before, after) => {
        const { tree } = treeOf(stems)
        for (const drawn of histories) {
          const found = [...new Set(drawn.map((n) => (n % stems.length) + 1))].sort((a, b) => a - b)
          await tree.follow('a', [found])
          const whole = plainly(stems, new Set(found))
          expect([tree.end('first'), tree.end('last')]).toEqual([whole[0]?.id ?? null, whole.at(-1)?.id ?? null])
          expect(tree.nearest(5)).toBe(found.find((id) => id >= 5) ?? found.at(-1) ?? null)
          for (const id of stems.keys()) expect(tree.has(id + 1)).toBe(whole.some((row) => row.id === id + 1))
          for (const [index, { id }] of whole.entries()) {
            expect(tree.window(id, before, after)).toEqual({
              rows: whole.slice(Math.max(0, index - before), index + after),
              moreBefore: index > before,
              moreAfter: index + after < whole.length,
            })
          }
        }
      },
    ),
  )
})

test('a board of any size is read span by span, each once, and only around found tasks and their ancestors', async () => {
  const stems = Array.from({ length: 100_000 }, (_, n) => (n % 10 === 0 ? 0 : n))
  const { tree, reads } = treeOf(stems)
  const pieces: (readonly number[])[] = Array.from({ length: 50 }, () => [])
  pieces[10] = [10 * SPAN + 15]
  await tree.follow('a', pieces)
  expect([reads(), tree.window(10 * SPAN + 15, 5, 5).rows.map(({ id }) => id - 10 * SPAN)]).toEqual([
    1,
    [11, 12, 13, 14, 15],
  ])
  // Another filter that finds the same tasks: nothing is read again.
  await tree.follow('b', pieces)
  await tree.follow('b', [...pieces])
  expect(reads()).toBe(1)
  pieces[49] = [99_995]
  await tree.follow('b', pieces)
  expect([reads(), tree.end('last')]).toEqual([2, 99_995])
})

test('a new task has its place in the found tree, and levels beyond the 64th count as the 64th', async () => {
  const stems = Array.from({ length: 70 }, (_, n) => n)
  const { tree } = treeOf(stems)
  await tree.follow('a', [[70]])
  expect(tree.window(70, 2, 1).rows.map(({ level }) => level)).toEqual([64, 64, 64])
  stems.push(3)
  await tree.follow('a', [[70, 71]])
  expect(tree.window(71, 1, 1).rows).toEqual([
    { id: 70, level: 64, matches: true },
    { id: 71, level: 3, matches: true },
  ])
})

test('a failed read is repeated at the next time', async () => {
  let broken = true
  const tree = makeFoundTree((from) =>
    broken ? Promise.reject(new Error('busy')) : Promise.resolve([{ id: from, stem: 0 }]),
  )
  await expect(tree.follow('a', [[1]])).rejects.toThrow('busy')
  broken = false
  await tree.follow('a', [[1]])
  expect(tree.end('first')).toBe(1)
})

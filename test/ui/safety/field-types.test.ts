import { expect, test } from 'vitest'
import { drawnIn, fieldsOf } from './fields.ts'
import { table } from './table.ts'

// The fields by their types alone, whose sources the test of a hostile session looks for.

const fields = fieldsOf('components')

/** Texts that are not SafeText, and the reason. */
const plain: Readonly<Record<string, string>> = {
  'Frame.sections[].key': "React's own; it is never drawn",
  'Log.lines[].at': 'a moment by which lines are sorted; it is never drawn',
  'Paint.label': 'put together by components of their props, and looked at below as those are',
  'Table.columns[].key': 'a union of literals wherever it is used',
}

test('every prop of a component that can contain a text is a SafeText', () => {
  expect(fields.plain).toEqual(Object.keys(plain).sort())
})

test("the console's own parts draw nothing themselves: all text passes the components", () => {
  expect(drawnIn('src/ui')).toEqual([])
})

test('the source of every field is known', () => {
  expect(Object.keys(table).sort()).toEqual(fields.safe)
})

import { enableCompileCache } from 'node:module'

// What the first frame is measured against: Ink, one line, and nothing else.

// As React is to be run for users; by itself it is slower.
Object.assign(process.env, { NODE_ENV: 'production' })
enableCompileCache()
const { createElement } = await import('react')
const { render, Text, useInput } = await import('ink')

const Line = () => {
  useInput((input) => {
    if (input === 'q') process.exit(0)
  })
  return createElement(Text, null, 'one line')
}

render(createElement(Line), { alternateScreen: true, interactive: true })

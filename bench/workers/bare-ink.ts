import { enableCompileCache } from 'node:module'

// The reference of the first frame: Ink, one line, and nothing else.

// React as built for users; its development build is slower.
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

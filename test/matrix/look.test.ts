import { runMatrix } from './matrix.ts'

runMatrix('look')

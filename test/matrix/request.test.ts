import { runMatrix } from './matrix.ts'

runMatrix('request')

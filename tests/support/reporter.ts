import { appendFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

/**
 * Ends the run with one plain line that a CI can read: "123 passed, 0 failed". It is added to the
 * file TALLIES, too.
 */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const passed = tests.filter((test) => test.ok() && test.result().state === 'passed').length
    const brokenModules = modules.filter((module) => module.errors().length > 0).length
    const failed =
      tests.filter((test) => test.result().state === 'failed').length +
      brokenModules +
      unhandledErrors.length
    const tally = `${passed} passed, ${failed} failed`
    if (process.env.TALLIES) appendFileSync(process.env.TALLIES, `${tally}\n`)
    // After the other reporters' summaries, and after the teardown of the global setup.
    process.on('exit', () => console.log(tally))
  }
}

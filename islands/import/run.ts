/** Makes the calls of an import one after the other, with what a person needs to watch and steer it. */
import { counted } from '../../lib/plural.ts'
import { post, Stopped } from './api.ts'
import { announce, button, h, showStep } from './dom.ts'
import { type Call, rowCount } from './plan.ts'
import type { Answer } from './store.ts'

type Run = {
  title: string
  calls: Call[]
  /** The answers that an earlier run got. The calls go on after them. */
  answered?: Answer[]
  url: (call: Call) => string
  body: (call: Call) => object
  /** Keeps an answer before the next call is made. */
  keep?: (call: number, answer: Answer) => Promise<void>
  /** A way out while the calls are paused or running; without it there is only the pause. */
  leave?: string
}

/** How often a screen reader hears of the progress. More would be all that it says. */
const ANNOUNCE_EVERY_MS = 10_000

/** Makes the calls, and gives an answer for each; null when the person left. */
export const runCalls = (run: Run): Promise<Answer[] | null> =>
  new Promise((resolve) => {
    const { calls } = run
    const answers = [...(run.answered ?? [])]
    const total = rowCount(calls)
    let controller = new AbortController()
    let running = false
    let left = false
    let announced = 0

    const bar = h('progress', { max: Math.max(total, 1), value: 0, 'aria-label': run.title })
    const says = h('p', { class: 'progress' })
    const stopped = h('div', { class: 'problem', role: 'alert', hidden: true })

    const show = (note = '') => {
      const done = rowCount(calls.slice(0, answers.length))
      bar.value = done
      const next = calls[answers.length]
      const what = next ? ` Next: ${next.kind}.` : ''
      says.textContent = `${done.toLocaleString('en')} of ${counted(total, 'row')} done.${note ? ` ${note}` : what}`
      // The clock only spaces out what is said.
      if (note || performance.now() - announced > ANNOUNCE_EVERY_MS) {
        announce(says.textContent)
        announced = performance.now()
      }
    }

    const work = async () => {
      running = true
      controller = new AbortController()
      const { signal } = controller
      stopped.hidden = true
      toggle.textContent = 'Pause'
      try {
        for (let call = calls[answers.length]; call; call = calls[answers.length]) {
          if (signal.aborted) throw new Stopped('Paused.')
          show()
          const { results } = await post<{ results: Answer }>(
            run.url(call),
            run.body(call),
            signal,
            ({ why, seconds }) => show(`${why} Trying again in ${counted(seconds, 'second')}.`),
          )
          await run.keep?.(answers.length, results)
          answers.push(results)
        }
        show()
        resolve(left ? null : answers)
      } catch (error) {
        running = false
        if (left) return resolve(null)
        toggle.disabled = false
        toggle.textContent = 'Resume'
        const reason = error instanceof Error ? error.message : String(error)
        if (controller.signal.aborted) return show('Paused.')
        show()
        stopped.replaceChildren(
          h('p', {}, reason),
          error instanceof Stopped && error.signIn ? signInLink() : '',
          run.leave ? '' : h('p', {}, 'To give the rest up, load this page again and discard it.'),
        )
        stopped.hidden = false
      }
    }

    const toggle = button('Pause', () => {
      if (running) {
        // The call that is under way is waited for, because its answer is what the result is made of.
        controller.abort()
        toggle.disabled = true
        show('Pausing…')
      } else void work()
    })
    const leave = button(
      run.leave ?? '',
      () => {
        left = true
        controller.abort()
        if (!running) resolve(null)
      },
      'quiet',
    )
    showStep(run.title, bar, says, stopped, h('p', { class: 'actions' }, toggle, run.leave ? leave : null))
    void work()
  })

/** In another tab, so that this one keeps its place. */
const signInLink = () =>
  h(
    'p',
    {},
    h('a', { href: '/sign-in', target: '_blank', rel: 'noopener' }, 'Sign in again (in a new tab)'),
    ', then come back and press “Resume”.',
  )

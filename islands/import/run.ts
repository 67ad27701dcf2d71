/** Makes the calls of an import in sequence, with progress, pause and resume. */
import * as m from '../../lib/languages/messages.ts'
import { t } from '../text.ts'
import { isOpenerSignedIn, Stopped, send } from './api.ts'
import { actions, announce, button, h, linkInNewTab, showStep } from './dom.ts'
import { type Call, rowCount } from './plan.ts'
import type { Answer } from './store.ts'

type Run = {
  title: string
  calls: Call[]
  /** The responses of an earlier run, after which this run continues. */
  answered?: Answer[]
  /** The settings that are saved before the first call and whenever the run continues. */
  first?: { url: string; body: object } | null
  url: (call: Call) => string
  body: (call: Call) => object
  /** Saves a response before the next call. */
  keep?: (call: number, answer: Answer) => Promise<void>
  /** The label of a button that leaves the run. Without it, there is only "Pause". */
  leave?: string
}

/** How often progress is announced. More often would drown out everything else. */
const ANNOUNCE_EVERY_MS = 10_000

/** Makes the calls. @returns their responses, or null if the user left */
export const runCalls = (run: Run): Promise<Answer[] | null> =>
  new Promise((resolve) => {
    const { calls } = run
    const answers = [...(run.answered ?? [])]
    const total = rowCount(calls)
    let controller = new AbortController()
    let running = false
    let left = false
    let announced = 0
    let awaitsSignIn = false
    const finished = new AbortController()

    const bar = h('progress', { max: Math.max(total, 1), value: 0, 'aria-label': run.title })
    const says = h('p', { class: 'progress' })
    const stopped = h('div', { class: 'problem', role: 'alert', hidden: true })

    const show = (note = '') => {
      const done = rowCount(calls.slice(0, answers.length))
      bar.value = done
      const next = calls[answers.length]
      const after = note || (next ? t(m.import_next, { kind: next.kind }) : '')
      says.textContent = [t(m.import_rows_done, { done, total }), after].filter(Boolean).join(' ')
      if (note || performance.now() - announced > ANNOUNCE_EVERY_MS) {
        announce(says.textContent)
        announced = performance.now()
      }
    }

    const finish = (result: Answer[] | null) => {
      finished.abort()
      resolve(result)
    }

    // The user returns from the tab in which they signed in again.
    const goOn = async () => {
      if (awaitsSignIn && !document.hidden && (await isOpenerSignedIn()) && awaitsSignIn)
        void work()
    }
    document.addEventListener('visibilitychange', goOn, { signal: finished.signal })
    window.addEventListener('focus', goOn, { signal: finished.signal })

    const work = async () => {
      running = true
      awaitsSignIn = false
      controller = new AbortController()
      const { signal } = controller
      stopped.hidden = true
      toggle.textContent = t(m.import_pause)
      try {
        if (run.first) await send('PATCH', run.first.url, run.first.body, signal, show)
        for (let call = calls[answers.length]; call; call = calls[answers.length]) {
          if (signal.aborted) throw new Stopped(t(m.import_paused))
          show()
          const answer = await send<Answer>('POST', run.url(call), run.body(call), signal, show)
          await run.keep?.(answers.length, answer)
          answers.push(answer)
        }
        show()
        finish(left ? null : answers)
      } catch (error) {
        running = false
        if (left) return finish(null)
        toggle.disabled = false
        toggle.textContent = t(m.import_resume)
        const reason = error instanceof Error ? error.message : String(error)
        if (controller.signal.aborted) return show(t(m.import_paused))
        show()
        stopped.replaceChildren(
          h('p', {}, reason),
          error instanceof Stopped && error.signIn ? signInLinks(error.signIn) : '',
          run.leave ? '' : h('p', {}, t(m.import_to_cancel)),
        )
        stopped.hidden = false
        awaitsSignIn = error instanceof Stopped && error.signIn !== null
      }
    }

    const toggle = button(t(m.import_pause), () => {
      if (running) {
        // The current call completes, because its response is part of the result.
        controller.abort()
        toggle.disabled = true
        show(t(m.import_pausing))
      } else void work()
    })
    const leave = button(
      run.leave ?? '',
      () => {
        left = true
        controller.abort()
        if (!running) finish(null)
      },
      'quiet',
    )
    showStep(run.title, bar, says, stopped, actions(toggle, run.leave ? leave : null))
    void work()
  })

/** The links open in a new tab, so that this one keeps its state. */
export const signInLinks = (how: 'sign_in' | 'switch') => {
  const signIn = linkInNewTab('/sign-in')
  return h(
    'p',
    {},
    ...(how === 'switch'
      ? t(m.import_switch_account, { accounts: linkInNewTab('/auth/accounts'), link: signIn })
      : t(m.import_sign_in, { link: signIn })),
  )
}

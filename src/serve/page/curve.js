// How a training went: the objective, and beside it the score of what was held out.
import { draw, make } from "./parts.js";

const WIDTH = 640, HEIGHT = 260, LEFT = 70, RIGHT = 60, TOP = 14, BOTTOM = 40;

const SCORES = { holdout_f1: "F1 of the hold-out", holdout_accuracy: "accuracy of the hold-out",
  holdout_log_likelihood: "log-likelihood of the hold-out" };

function scale(values, from, to) {
  const low = Math.min(...values), high = Math.max(...values);
  const at = (x) => from + (to - from) * (high > low ? (x - low) / (high - low) : 0.5);
  return { low, high, at };
}

function line(xs, ys, name) {
  const points = xs.map((x, k) => `${x.toFixed(1)},${ys[k].toFixed(1)}`).join(" ");
  return draw("polyline", { class: name, points });
}

const short = (x) => Number(x.toPrecision(4)).toString();

// The objective falls by orders of size: its logarithm, where it is positive.
export function curve(points, kept) {
  if (!points || points.iteration.length < 2) return [];
  const { iteration, objective } = points;
  const score = Object.keys(SCORES).find((name) => points[name]);
  const logarithm = Math.min(...objective) > 0 && Math.max(...objective) > 20 * Math.min(...objective);
  const across = scale(iteration, LEFT, WIDTH - RIGHT);
  const down = scale(logarithm ? objective.map(Math.log) : objective, HEIGHT - BOTTOM, TOP);
  const xs = iteration.map(across.at);
  const text = (x, y, what, more = {}) => draw("text", { x, y, ...more }, what);
  const end = { "text-anchor": "end" };
  const parts = [
    draw("rect", { class: "frame", x: LEFT, y: TOP, width: WIDTH - LEFT - RIGHT, height: HEIGHT - TOP - BOTTOM }),
    line(xs, objective.map((x) => down.at(logarithm ? Math.log(x) : x)), "objective"),
    text(LEFT - 6, TOP + 10, short(Math.max(...objective)), end),
    text(LEFT - 6, HEIGHT - BOTTOM, short(Math.min(...objective)), end),
    text(LEFT, HEIGHT - BOTTOM + 16, String(across.low)),
    text(WIDTH - RIGHT, HEIGHT - BOTTOM + 16, `iteration ${across.high}`, end),
    text(LEFT, HEIGHT - 6, `— objective${logarithm ? ", logarithmic" : ""}`, { class: "objective-name" })];
  if (score) {
    const up = scale(points[score], HEIGHT - BOTTOM, TOP);
    parts.push(line(xs, points[score].map(up.at), "score"),
      text(WIDTH - RIGHT + 6, TOP + 10, short(up.high)), text(WIDTH - RIGHT + 6, HEIGHT - BOTTOM, short(up.low)),
      text(WIDTH - RIGHT, HEIGHT - 6, `- - ${SCORES[score]}`, { ...end, class: "score-name" }));
  }
  if (kept !== undefined) {
    const x = across.at(kept);
    parts.push(draw("line", { class: "kept", x1: x, x2: x, y1: TOP, y2: HEIGHT - BOTTOM }, draw("title", {}, `kept: iteration ${kept}`)));
  }
  const last = objective.length - 1;
  const said = `Objective from ${short(objective[0])} to ${short(objective[last])} in ${across.high} iterations`
    + (score ? `; ${SCORES[score]} ${short(points[score][last])} at the end` : "");
  return [make("h2", {}, "How it went"), make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Training curve" },
    draw("svg", { class: "curve", width: WIDTH, height: HEIGHT, viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": said }, parts)),
  make("p", { class: "quiet" }, `${said}.${kept === undefined ? "" : ` Dotted: iteration ${kept}, which was kept.`}`)];
}

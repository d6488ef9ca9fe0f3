// Puts the parts together: what comes from the feed goes to tree, stage, inspector, plots and time line; what the user
// does goes back as commands.

import type { Frame, Picture } from './feed/codec';
import type { Connection, Feed, FeedListener } from './feed/feed';
import type { Command, Lease, Plans, Scene, SimulationEvent, Triple } from './feed/protocol';
import { levelStyle } from './levels';
import { Drag } from './three/drag';
import { KeyPush } from './three/key_push';
import { Labels } from './three/labels';
import { parseLights } from './three/lights';
import { OVERLAYS, PUSH_STIFFNESS, type OverlayName, type OverlayState } from './three/overlays';
import { Smoother } from './three/smooth';
import { Stage, type CameraMode } from './three/stage';
import { h, iconButton, setText } from './ui/dom';
import { Eye } from './ui/eye';
import { Help } from './ui/help';
import { Inspector } from './ui/inspector';
import { Legend } from './ui/legend';
import { Plots } from './ui/plots';
import { Score } from './ui/score';
import { applyTheme, isDark, toggleTheme } from './ui/theme';
import { Timeline } from './ui/timeline';
import { Tree } from './ui/tree';
import { download, VideoRecorder } from './ui/capture';

const PUSH_FORCE_MAX = 150; // [N]
const CAMERAS: [CameraMode, string][] = [
  ['orbit', 'Orbit'],
  ['follow', 'Follow'],
  ['robot', 'Robot'],
  ['top', 'Top'],
];

export class App implements FeedListener {
  frameNow: Frame | null = null;
  sceneNow: Scene | null = null;
  pictures = 0; // drawn so far
  readonly stage: Stage;
  private selected = 0;
  private canControl = false;
  private subscribed = '';
  private hasNews = false; // something to show has changed
  private hasFrame = false; // … among it the frame
  private readonly smoother = new Smoother();
  private lastPanels = 0;
  private fpsSince = performance.now();
  private fpsPictures = 0;
  private readonly on = Object.fromEntries(Object.entries(OVERLAYS).map(([k, o]) => [k, o.on])) as OverlayState;

  private readonly viewHolder = h('div.view');
  private readonly status = h('span.status', { role: 'status' }, 'connecting');
  private readonly title = h('span.scene');
  private readonly rate = h('span.rate', { title: 'speed: target and actual, simulated over wall time' });
  private readonly fps = h('span.fps');
  private readonly hash = h('span.hash', { title: 'state hash of the moment shown' });
  private readonly leaseButton = h('button.lease', {
    type: 'button',
    hidden: true,
    onclick: () => this.send({ do: 'take_control' }),
  });
  private readonly banner = h('div.banner', { role: 'alert', hidden: true });
  private readonly toasts = h('div.toasts', { 'aria-live': 'polite' });
  private readonly overlayMenu = h('div.menu', { hidden: true });
  private readonly forceLegend = h('div.legend-3d', { 'aria-hidden': 'true' });
  private readonly legend = new Legend();
  private readonly score = new Score();
  readonly eye = new Eye({ cameraChanged: () => this.subscribe() });
  private readonly errors = h('div.errors', { role: 'alert', hidden: true });
  private readonly cameraBar = h('div.cameras', { role: 'group', 'aria-label': 'Camera' });
  private readonly recordButton = iconButton('record', 'Record a video (shift v)', () => this.toggleVideo());
  private readonly help = new Help();
  private readonly tree: Tree;
  private readonly inspector: Inspector;
  private readonly plots: Plots;
  private readonly timeline: Timeline;
  private readonly labels: Labels;
  private readonly drag: Drag;
  private readonly keyPush: KeyPush;
  private readonly video: VideoRecorder;

  constructor(
    private readonly feed: Feed,
    root: HTMLElement,
  ) {
    applyTheme();
    this.tree = new Tree({ select: (r) => this.select(r), setLevel: (r, level) => this.setLevel(r, level) });
    this.inspector = new Inspector({
      togglePlot: (p) => this.plots.toggle(p),
      setProperty: (path, value) => this.send({ do: 'set_property', path, value }),
      shownChanged: () => this.subscribe(),
    });
    this.plots = new Plots(
      {
        changed: () => this.onPlotsChanged(),
        hover: (t) => this.timeline.hover(t),
        drop: (p) => {
          if (!this.plots.plotted.has(p)) this.plots.toggle(p);
        },
      },
      feed.series?.bind(feed),
    );
    this.timeline = new Timeline((c) => this.send(c));
    this.layOut(root);
    this.stage = new Stage(this.viewHolder);
    this.labels = new Labels(this.stage, this.viewHolder, (r) => this.select(r));
    const hand = {
      select: (robot: number) => this.select(robot),
      push: (body: number, point: Triple, target: Triple) =>
        this.send({ do: 'push', body, point, target, stiffness: PUSH_STIFFNESS, max_force: PUSH_FORCE_MAX }),
      release: () => this.send({ do: 'release_push' }),
      canPush: () => this.canControl && !this.feed.isRecording,
    };
    this.drag = new Drag(this.stage, this.viewHolder, hand);
    this.keyPush = new KeyPush(this.stage, hand);
    this.video = new VideoRecorder(this.stage.renderer.domElement);
    this.makeOverlayMenu();
    this.onThemeChanged();
    window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.onThemeChanged());
    window.addEventListener('keydown', (e) => this.onKey(e));
    window.addEventListener('blur', () => this.drag.letGo());
    feed.start(this);
    requestAnimationFrame((t) => this.draw(t));
  }

  private layOut(root: HTMLElement): void {
    for (const [mode, title] of CAMERAS)
      this.cameraBar.append(
        h(
          'button',
          {
            type: 'button',
            'data-mode': mode,
            'aria-pressed': String(mode === 'orbit'),
            onclick: () => this.setCamera(mode),
          },
          title,
        ),
      );
    const brand = h('span.brand', {}, 'gradus');
    const layers = iconButton('layers', 'Overlays', () => (this.overlayMenu.hidden = !this.overlayMenu.hidden));
    const header = h(
      'header.top',
      {},
      brand,
      this.title,
      this.status,
      this.rate,
      this.fps,
      this.hash,
      h('span.space'),
      this.leaseButton,
      layers,
      iconButton('camera', 'Save a picture (s)', () => void this.screenshot()),
      this.recordButton,
      iconButton('theme', 'Dark, light (d)', () => this.switchTheme()),
      iconButton('help', 'Keys (?)', () => this.help.toggle()),
    );
    const hint = h('div.drag-hint', {}, 'Drag a robot to pull it · drag the ground to look around · ? for keys');
    this.viewHolder.append(this.cameraBar, this.score.element, this.eye.element, this.overlayMenu, this.forceLegend, hint);
    this.viewHolder.append(this.banner, this.errors, this.toasts);
    this.tree.element.append(this.legend.element);
    const tabs = h('nav.tabs', { 'aria-label': 'Panels' });
    const main = h('main.main', {}, this.tree.element, this.viewHolder, this.inspector.element);
    const show = (tab: string) => {
      main.dataset['tab'] = tab;
      for (const b of tabs.children) b.setAttribute('aria-pressed', String((b as HTMLElement).dataset['tab'] === tab));
    };
    for (const [name, title] of [
      ['view', 'View'],
      ['tree', 'Scene'],
      ['inspector', 'Inspector'],
    ] as const)
      tabs.append(h('button', { type: 'button', 'data-tab': name, onclick: () => show(name) }, title));
    show('view');
    root.append(header, main, this.plots.element, this.timeline.element, tabs, this.help.element);
    setTimeout(() => hint.classList.add('gone'), 8000);
  }

  private makeOverlayMenu(): void {
    for (const [name, o] of Object.entries(OVERLAYS) as [OverlayName, (typeof OVERLAYS)[OverlayName]][]) {
      const box = h('input', {
        type: 'checkbox',
        'data-overlay': name,
        onchange: () => this.setOverlay(name, box.checked),
      });
      box.checked = this.on[name];
      this.overlayMenu.append(h('label', {}, box, h('span', {}, o.title), h('kbd', {}, o.key)));
    }
  }

  private send(command: Command): void {
    this.feed.send(command);
  }

  // ---- from the feed

  scene(scene: Scene): void {
    const before = this.sceneNow?.robots[this.selected]?.name;
    const keepCamera = this.sceneNow !== null && this.sceneNow.name === scene.name;
    this.sceneNow = scene;
    this.frameNow = null;
    this.subscribed = '';
    this.selected = Math.max(
      0,
      scene.robots.findIndex((r) => r.name === before),
    );
    document.title = `${scene.name} · gradus`;
    setText(this.title, scene.name);
    this.title.title = scene.about;
    this.stage.setScene(scene, keepCamera);
    this.stage.overlays.setRobots(scene.robots.map((r) => levelStyle(r.levels[r.level] ?? '').colour));
    this.stage.overlays.sensors.setScene(scene);
    this.eye.setScene(scene, !this.feed.isRecording);
    this.labels.setScene(scene);
    this.legend.setScene(scene);
    this.score.setScene(scene);
    this.tree.setScene(scene);
    this.timeline.setScene(scene);
    this.plots.setScene(scene, keepCamera);
    this.select(this.selected);
    this.setCanControl(this.canControl);
  }

  frame(frame: Frame): void {
    this.frameNow = frame;
    this.hasNews = this.hasFrame = true;
    if (!this.feed.isRecording) this.smoother.take(frame, performance.now());
  }

  picture(picture: Picture): void {
    void this.eye.show(picture);
  }

  plans(plans: Plans): void {
    this.stage.overlays.setPlans(plans);
  }

  event(event: SimulationEvent): void {
    this.timeline.addEvent(event);
    const isNews = this.frameNow !== null; // and not one of those that are told to every newcomer
    if (event.kind === 'error') this.showErrors(event.text);
    if (event.kind === 'reset' || event.kind === 'note') this.errors.hidden = true;
    if (isNews && event.kind === 'note') this.problem(event.text);
    if (isNews && event.kind === 'say') this.labels.say(event.robot, event.text);
    const lights = event.kind === 'light' ? parseLights(event.text) : null;
    if (lights) this.stage.lights.set(event.robot, lights);
  }

  lease(lease: Lease, mayControl: boolean): void {
    this.setCanControl(lease.mine);
    this.leaseButton.hidden = lease.mine;
    this.leaseButton.disabled = !mayControl;
    this.leaseButton.textContent = mayControl ? 'Take control' : 'Watching only';
  }

  private setCanControl(can: boolean): void {
    this.canControl = can;
    const canChange = can && !this.feed.isRecording; // a recording can be stopped and searched, not changed
    this.tree.setCanControl(canChange);
    this.timeline.setCanControl(can);
    document.body.classList.toggle('watching', !canChange);
  }

  connection(state: Connection): void {
    this.banner.hidden = state === 'open' || state === 'connecting';
    if (state === 'lost') this.banner.textContent = 'The simulator does not answer. Trying again …';
    if (state === 'refused')
      this.banner.textContent = 'The simulator was started again and has a new address. Open the one that it printed.';
    if (state === 'open') this.timeline.clearEvents();
    this.subscribed = '';
    document.body.dataset['connection'] = state;
    if (state !== 'open') this.setStatus('offline', 'offline');
  }

  /** Stays until it is closed, or the cause is gone. */
  private showErrors(text: string): void {
    const close = h('button.icon', { type: 'button', 'aria-label': 'Close', onclick: () => (this.errors.hidden = true) }, '×');
    this.errors.replaceChildren(h('pre', {}, text), close);
    this.errors.hidden = false;
  }

  problem(text: string): void {
    const toast = h('div.toast', {}, text);
    this.toasts.append(toast);
    setTimeout(() => toast.remove(), 5000);
    while (this.toasts.children.length > 4) this.toasts.firstElementChild!.remove();
  }

  // ---- from the user

  private select(robot: number): void {
    if (!this.sceneNow || robot < 0) return;
    this.selected = robot;
    this.stage.followed = robot;
    this.stage.bodies.highlight(robot);
    this.inspector.show(this.sceneNow, robot);
    this.inspector.setPlotted(this.plots.plotted);
    this.hasNews = true;
  }

  private setLevel(robot: number, level: string): void {
    const name = this.sceneNow?.robots[robot]?.name;
    if (name) this.send({ do: 'set_motion', robot: name, level });
  }

  private onPlotsChanged(): void {
    this.inspector.setPlotted(this.plots.plotted);
    this.subscribe();
  }

  /** Asks for the values of what is shown and plotted, when that changed. */
  private subscribe(): void {
    if (!this.sceneNow) return;
    const drawn = this.stage.overlays.sensors.properties(this.on);
    const wanted = [
      ...new Set([...this.score.properties, ...this.plots.plotted, ...drawn, ...this.inspector.shown()]),
    ].slice(0, 512);
    const { volumes } = this.on;
    const { camera } = this.eye;
    const key = `${wanted.join()} ${volumes} ${camera}`;
    if (key === this.subscribed) return;
    this.subscribed = key;
    this.send({ do: 'subscribe', properties: wanted, volumes, ...(camera >= 0 ? { camera } : {}) });
  }

  private setOverlay(name: OverlayName, isOn: boolean): void {
    this.on[name] = isOn;
    this.overlayMenu.querySelector<HTMLInputElement>(`[data-overlay="${name}"]`)!.checked = isOn;
    this.subscribe();
    this.hasNews = true;
  }

  private setCamera(mode: CameraMode): void {
    this.stage.setMode(mode);
    this.cameraBar
      .querySelectorAll<HTMLElement>('button')
      .forEach((b) => b.setAttribute('aria-pressed', String(b.dataset['mode'] === mode)));
    this.hasNews = true;
  }

  private switchTheme(): void {
    toggleTheme();
    this.onThemeChanged();
  }

  private onThemeChanged(): void {
    applyTheme();
    this.stage.setDark(isDark());
    this.plots.restyle();
  }

  private async screenshot(): Promise<void> {
    const blob = await this.stage.screenshot();
    if (blob) download(blob, `gradus-${(this.frameNow?.time ?? 0).toFixed(3)}s.png`);
  }

  private toggleVideo(): void {
    this.video.toggle((blob) => download(blob, 'gradus.webm'));
    this.recordButton.classList.toggle('recording', this.video.isRecording);
  }

  private onKey(e: KeyboardEvent): void {
    const target = e.target as HTMLElement;
    if (
      e.ctrlKey ||
      e.metaKey ||
      e.altKey ||
      target.matches('input[type=text], input[type=search], input[type=number], select')
    )
      return;
    if (this.help.element.open && e.key !== '?') return;
    const action = this.actionOf(e);
    if (!action) return;
    e.preventDefault();
    action();
  }

  private actionOf(e: KeyboardEvent): (() => void) | null {
    const ten = e.shiftKey ? 10 : 1;
    const t = this.timeline;
    switch (e.key) {
      case ' ':
        return () => t.togglePause(); // also where a button has the focus: Enter presses it
      case 'ArrowRight':
        return () => t.step(ten);
      case 'ArrowLeft':
        return () => t.stepBack(ten);
      case 'ArrowUp':
        return () => t.changeSpeed(1);
      case 'ArrowDown':
        return () => t.changeSpeed(-1);
      case 'PageUp':
        return () => t.goToEvent(-1);
      case 'PageDown':
        return () => t.goToEvent(1);
      case 'End':
        return () => t.goLive();
      case ',':
        return () => this.stage.turn(-0.12);
      case '.':
        return () => this.stage.turn(0.12);
      case '+':
        return () => this.stage.zoom(1 / 1.15);
      case '-':
        return () => this.stage.zoom(1.15);
      case 'i':
        return () => this.eye.next();
      case 'e':
        return () => t.log.toggle();
      case 'r':
        return () => t.reset();
      case 'b':
        return () => t.branch();
      case 'x':
        return () => this.plots.toggleDifference();
      case '[':
        return () =>
          this.select((this.selected + (this.sceneNow?.robots.length ?? 1) - 1) % (this.sceneNow?.robots.length ?? 1));
      case ']':
        return () => this.select((this.selected + 1) % (this.sceneNow?.robots.length ?? 1));
      case 'a':
        return () => {
          this.stage.showAll();
          this.setCamera(this.stage.mode);
        };
      case 's':
        return () => void this.screenshot();
      case 'V':
        return () => this.toggleVideo();
      case 'd':
        return () => this.switchTheme();
      case '?':
        return () => this.help.toggle();
      case 'Escape':
        return () => {
          this.overlayMenu.hidden = true;
          t.log.close();
        };
    }
    if (e.shiftKey && this.keyPush.press(e.key)) return () => {};
    const camera = CAMERAS[Number(e.key) - 1];
    if (camera) return () => this.setCamera(camera[0]);
    const overlay = (Object.entries(OVERLAYS) as [OverlayName, { key: string }][]).find(([, o]) => o.key === e.key);
    return overlay ? () => this.setOverlay(overlay[0], !this.on[overlay[0]]) : null;
  }

  // ---- every picture

  private draw(now: number): void {
    requestAnimationFrame((t) => this.draw(t));
    const f = this.frameNow;
    const isNew = this.hasNews;
    const isMoved = f !== null && this.smoother.apply(f, now);
    this.hasNews = false;
    if (f && (isNew || isMoved) && this.sceneNow) {
      this.stage.setShadows(this.on.shadows);
      this.stage.bodies.setTints(this.tints(f));
      this.stage.update(f, this.on);
      this.stage.overlays.markSelected(f, this.selected, this.levelColour(f, this.selected));
    }
    const mayMove = this.stage.needsRender;
    if (this.stage.render()) this.pictures++;
    if (!f || !this.sceneNow) return;
    if (mayMove || this.labels.isStale) this.labels.update(f, this.on.labels, this.selected);
    if (mayMove) this.drag.update(f);
    if (this.hasFrame) this.keyPush.update(f, this.selected);
    if (this.hasFrame) this.plots.update(f, now);
    this.hasFrame = false;
    if (isNew || now - this.lastPanels > 500) this.updatePanels(f, now);
  }

  private levelColour(f: Frame, robot: number): string {
    return levelStyle(this.sceneNow!.robots[robot]?.levels[f.levels[robot] ?? 0] ?? '').colour;
  }

  private tints(f: Frame): (string | null)[] {
    return this.sceneNow!.robots.map((robot, r) =>
      this.on.levels && robot.levels.length > 1 ? this.levelColour(f, r) : null,
    );
  }

  private updatePanels(f: Frame, now: number): void {
    this.timeline.update(f);
    if (now - this.lastPanels < 90) return; // numbers that change faster than that cannot be read
    this.lastPanels = now;
    this.tree.update(f, this.selected);
    this.legend.update(f, this.sceneNow!);
    this.score.update(f);
    this.inspector.update(f);
    this.subscribe();
    this.updateHeader(f);
  }

  private updateHeader(f: Frame): void {
    if (document.body.dataset['connection'] === 'open') {
      if (f.replay) this.setStatus('replay', 'replay');
      else if (f.past) this.setStatus('past', f.paused ? 'past' : 'replaying');
      else if (f.paused) this.setStatus('paused', 'paused');
      else this.setStatus('live', 'live');
    }
    const target = Number.isFinite(f.speedTarget) ? `×${f.speedTarget.toFixed(f.speedTarget < 0.1 ? 3 : 2)}` : 'max';
    setText(this.rate, f.paused ? `${target}` : `${target} (${f.speedActual.toFixed(2)} actual)`);
    this.rate.classList.toggle('behind', f.behind);
    setText(this.hash, f.hashHigh || f.hashLow ? f.hash.slice(0, 8) : '');
    const newtons = this.stage.overlays.forceScale;
    setText(
      this.forceLegend,
      this.on.forces && newtons > 0 ? `longest arrow ${newtons.toFixed(newtons < 10 ? 1 : 0)} N` : '',
    );
    const now = performance.now();
    if (now - this.fpsSince > 1000) {
      setText(this.fps, `${Math.round((1000 * (this.pictures - this.fpsPictures)) / (now - this.fpsSince))} fps`);
      this.fpsSince = now;
      this.fpsPictures = this.pictures;
    }
  }

  private setStatus(kind: string, text: string): void {
    this.status.dataset['kind'] = kind;
    setText(this.status, text);
  }
}

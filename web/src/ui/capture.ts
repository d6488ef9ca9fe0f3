// Pictures and videos of the canvas, saved as files.

export function download(blob: Blob, name: string): void {
  const a = document.createElement('a');
  a.href = URL.createObjectURL(blob);
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}

export class VideoRecorder {
  private recorder: MediaRecorder | null = null;

  constructor(private readonly canvas: HTMLCanvasElement) {}

  get isRecording(): boolean {
    return this.recorder !== null;
  }

  /** Starts, or stops and hands over the WebM file. */
  toggle(done: (video: Blob) => void): void {
    if (this.recorder) {
      this.recorder.stop();
      this.recorder = null;
      return;
    }
    const parts: Blob[] = [];
    const recorder = new MediaRecorder(this.canvas.captureStream(60), {
      mimeType: 'video/webm',
      videoBitsPerSecond: 12e6,
    });
    recorder.ondataavailable = (e) => parts.push(e.data);
    recorder.onstop = () => done(new Blob(parts, { type: 'video/webm' }));
    recorder.start(1000);
    this.recorder = recorder;
  }
}

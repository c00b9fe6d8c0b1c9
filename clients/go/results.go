package docmill

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Other extensions of a format.
var synonyms = map[string]string{"jpeg": "jpg", "tif": "tiff", "htm": "html", "markdown": "md", "text": "txt"}

// Extensions that say what a file is. Any other is as good as none.
var formats = strings.Fields("pdf docx doc odt rtf txt xlsx xls ods csv pptx ppt odp html md json jsonl xml png jpg webp tiff gif bmp svg zip eml msg")

// formatOf is the format that a name's extension stands for, or nothing.
func formatOf(name string) string {
	format := extension(name)
	if synonym, ok := synonyms[format]; ok {
		format = synonym
	}
	if slices.Contains(formats, format) {
		return format
	}
	return ""
}

// isFolder tells whether a path names a folder: it ends in a slash, or is one.
func isFolder(path string) bool {
	if strings.HasSuffix(path, "/") || strings.HasSuffix(path, string(filepath.Separator)) {
		return true
	}
	found, err := os.Stat(path)
	return err == nil && found.IsDir()
}

// checkName compares the format that a path's extension says with that of the result.
func checkName(path, filename string) error {
	wanted, made := formatOf(path), formatOf(filename)
	switch {
	case wanted == "" || made == "" || wanted == made:
		return nil
	case made == "zip":
		return usageError(`%s can't hold several files: give a folder, such as "pages/", or a name that ends in .zip`, path)
	}
	return usageError("%s says %s, but the result is a %s: name it .%s, or add the tool that makes a %s in Request.Then", path, wanted, made, made, wanted)
}

// checkTarget says why a file can't be made at a path, for example because there is one.
func checkTarget(path string, overwrite bool) error {
	if _, err := os.Lstat(path); err == nil && !overwrite {
		return taken(path)
	}
	folder := filepath.Dir(path)
	if found, err := os.Stat(folder); err != nil || !found.IsDir() {
		return usageError("%s can't be written: there is no folder %s", path, folder)
	}
	return nil
}

func taken(path string) error {
	return usageError("%s exists already: choose another name, or allow it with docmill.Overwrite()", path)
}

// publish gives a whole file its name.
func publish(temporary, path string, overwrite bool) error {
	if !overwrite {
		// Of all that want this name, only one can create it.
		claimed, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		if errors.Is(err, fs.ErrExist) {
			return taken(path)
		}
		if err == nil {
			err = claimed.Close()
		}
		if err != nil {
			return unwritable(path, err)
		}
	}
	if err := os.Rename(temporary, path); err != nil {
		if !overwrite {
			err = errors.Join(err, os.Remove(path))
		}
		return unwritable(path, err)
	}
	return nil
}

func unwritable(path string, err error) error {
	return &problem{what: ErrUsage, text: path + " can't be written", cause: reason(err)}
}

// pathsIn makes a path of each name, without anything that leads to another folder, and no two the same.
func pathsIn(folder string, names []string) []string {
	var paths []string
	for index, name := range names {
		plain := filepath.Base(strings.ReplaceAll(name, `\`, "/"))
		if plain == "." || plain == ".." || plain == string(filepath.Separator) {
			plain = fmt.Sprintf("result-%d", index+1)
		}
		path := filepath.Join(folder, plain)
		if slices.Contains(paths, path) {
			extension := filepath.Ext(plain)
			path = filepath.Join(folder, fmt.Sprintf("%s-%d%s", strings.TrimSuffix(plain, extension), index+1, extension))
		}
		paths = append(paths, path)
	}
	return paths
}
